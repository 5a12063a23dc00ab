// Package functionword knows the function words and question words of languages:
// what of a text tells its language, and not what it is about.
package functionword

import (
	"strings"
	"sync"
)

// Is reports whether word, as [text.Fold] writes it, is a function word of a language,
// given by its tag: of English the commonest. It is false for languages without a list.
func Is(lang, word string) bool { return sets()[lang][word] }

// Known reports whether there is a list of a language.
func Known(lang string) bool { return sets()[lang] != nil }

// sets makes the lists when they are first asked for.
var sets = sync.OnceValue(func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for lang, words := range lists() {
		out[lang] = map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			out[lang][w] = true
		}
	}
	return out
})

func lists() map[string]string {
	return map[string]string{
		"ar": `التي الذي الذين الى ان او اين بعد بين ثم ذلك على عن في قبل قد
			كان كانت كل كم كيف لا لم لماذا لن ما ماذا متى مع من هذا هذه هل
			هم هو هي و يكون`,
		"de": `aber als am an auch auf aus bei bis das dass dem den der des die diese dieser dieses dort durch ein eine einem
			einen einer eines er es fur haben hat hatte hier ich ihr ihre ihrer im in ist kann konnen man mich mir mit nach
			nicht noch nur oder sein seine seiner seit sich sie sind so uber um und uns unter vom von vor wann war waren
			warum was welche welchem welchen welcher welches wem wen wer werden wessen wie wieso wir wird wo woher wohin
			wurde wurden zu zum zur`,
		"en": `an and are as at be but by did does for from had has have he his how in is it its not of on or she that the
			their they this to was were what when where which who why with`,
		"es": `al como con cual cuales cuando cuanto cuantos de del donde el en entre era eran es esa ese esta estas este
			estos fue fueron ha han hay la las lo los mas no o para pero por porque que quien se ser sobre son su sus
			tambien un una unas unos y`,
		"fa": `از است ان ایا این با برای به بود تا در را شد می هم و چرا چند چه
			چگونه کجا که کی یا`,
		"fr": `a au aux avait avec c ce ces cette combien comment d dans de des du elle elles en est et etaient etait il ils
			je l la le les leur leurs mais n ne nous ont ou par pas plus pour pourquoi qu quand que quel quelle quelles
			quels qui quoi s sa se sera ses son sont sur un une vous`,
		"he": `אבל או איך אין איפה אל אם אשר את גם האם הוא היא היה היו היכן
			היתה הם הן זאת זה זו יש כי כיצד כל כמה לא למה מדוע מה מי מן מתי
			על עם רק של`,
		"it": `al alla anche che chi come con cosa dal dalla degli dei del della delle di dove e era erano fu gli ha hanno i
			il la le lo ma nei nel nella non o per perche piu quale quali quando quanto questa questo si sono su sua suo
			suoi un una uno`,
		"ko": `것 그 그러나 그리고 누가 누구 누구의 또는 몇 무엇 무엇을 무엇이 및 수 어느 어디
			어디서 어디에 어떤 어떻게 언제 얼마 왜 이 저`,
		"nl": `aan als bij dat de deze die dit door een en er haar had hebben heeft het hij hoe hun in is maar met naar niet
			nog of om ook op over te uit van voor waar waarom wanneer waren was wat welke werd werden wie wordt ze zich zij
			zijn`,
		"pt": `a ao as com como da das de do dos e em era eram esta este foi foram isto mais mas na nao nas no nos o onde os
			ou para pela pelo por porque quais qual quando quanto que quem sao se ser seu sua tambem tem um uma umas uns`,
		"ru": `а бы был была были было в во где для до его ее есть же за и из
			или их к как какая какие какои когда которая которые которыи
			кто на не но о об он она они от по почему при с сколько со у что
			это`,
		"uk": `а або але би був була були було в вона вони від він де для до ж
			з за и иого коли на не по при про скільки та у хто це чому що як
			яка якии які є і із іх іі`,
	}
}
