package extractive

import "strings"

// irregular maps a word or its stem to the number of its group: words of which
// one tells the same as another though their stems differ.
var irregular = groupsOf(`
	write wrote written | build built | lead led leader | sell sold sale | make made | buy bought | take took taken | run ran | win won winner
	begin began begun | keep kept | sing sang sung song singer | hold held | give gave given | draw drew drawn
	bear born birth birthplace | die died death dead deceased | grow grew grown | leave left | sink sank sunk | pay paid payment
	fight fought | grind ground | break broke broken | teach taught | speak spoke spoken | go went gone | know knew known
	come came | become became | lose lost loss | meet met | see saw seen | fall fell fallen | choose chose chosen choice
	drive drove driven | fly flew flown flight | rise rose risen | think thought | bring brought | catch caught | send sent | spend spent
	hang hung | throw threw thrown | live lived life | weigh weight heavy | high height tall | deep depth | wide width | long length
	old age aged | fast speed | marry married marriage wife husband spouse | feed fed food | strike struck | lay laid | freeze froze frozen
	eat ate eaten | drink drank drunk | swim swam | ride rode ridden | steal stole stolen | find found | sit sat | stand stood
	tell told | wear wore worn | tear tore torn | shoot shot | shut closed close | lend lent | bind bound | burn burnt | learn learnt
	schreiben schrieb geschrieben | bauen baute gebaut erbaut erbauen | finden fand gefunden | grunden grundete gegrundet grunder
	sterben starb gestorben tod | geboren geburt geburtsort | wiegen wiegt wog gewicht schwer | hoch hohe hoher hoehe | tief tiefe
	lang lange dauer dauern dauert | breit breite | alt alter | fahren fahrt fuhr gefahren | geben gab gegeben gibt | nehmen nimmt nahm genommen
	gehen ging gegangen | kommen kam gekommen | sinken sank gesunken | beginnen begann begonnen beginn | verlieren verlor verloren
	halten halt hielt gehalten | tragen trug getragen tragt | ziehen zog gezogen | bringen brachte gebracht | lesen liest las gelesen
	entwerfen entwarf entworfen entwurf | liegen liegt lag gelegen | offnen offnet geoffnet offen offnung | schliessen schliesst schloss geschlossen schluss
	helfen hilft half geholfen | treffen trifft traf getroffen | werfen warf geworfen | brechen bricht brach gebrochen
	sprechen spricht sprach gesprochen | essen isst ass gegessen | trinken trank getrunken | leiten leitet leitete geleitet leiter leiterin leitung
	reparieren reparatur repariert | kosten kostet kostete preis`)

// synonyms maps a stem to the set of the groups that it is in.
var synonyms = sensesOf(`
	cost price fee charge fare | large big size area measure cover | make produce manufacture build | build construct erect
	found establish start create form | write author pen | lead head direct chair run | film movie | begin start open launch commence
	end finish close | buy purchase acquire | job occupation profession work | locate situate lie | treat therapy treatment
	doctor physician | release publish issue launch | inhabitant population resident people live | sing perform record | country nation
	cause reason due | symptom sign | live reside | company firm | error problem issue exception fail | install setup
	fix solve resolve solution | often every frequently | produce producer | show display | use utilize | get obtain receive
	change modify update | remove delete | screen test | spread metastasize | disease condition | drug medicine medication
	belong member | part belong subsidiary | study educate attend graduate school university college | star feature | common frequent
	main primary major | help assist | join register | invent inventor | check verify | repair fix mend | speed velocity | last take
	depart leave | arrive come reach | carry hold transport | allow permit | forbid prohibit ban | fast quick rapid | car vehicle
	store keep save | manual handbook guide | staff employee worker | boat ship vessel | garbage rubbish waste
	kosten preis gebuhr entgelt | errichten bauen erbauen | grunden stiften | firma unternehmen betrieb | anfangen beginnen starten
	arzt doktor mediziner | auto wagen fahrzeug | enden aufhoren schliessen | reparieren beheben | herstellen produzieren fertigen bauen
	leiten fuhren | verfassen schreiben | entwerfen konstruieren gestalten entwickeln | abfahren ablegen | ankommen eintreffen
	veroffentlicht veroffentlichen freigegeben freigeben erschienen erscheinen erschien herausgegeben herausgekommen | einwohner bevolkerung | wechseln tauschen erneuern`)

// groupsOf numbers the groups of a list, from 1.
func groupsOf(list string) map[string]int {
	out := map[string]int{}
	for i, line := range strings.Split(strings.ReplaceAll(strings.TrimSpace(list), "\n", "|"), "|") {
		for w := range set(line) {
			for _, key := range [2]string{w, stemOf(w)} {
				if out[key] == 0 {
					out[key] = i + 1
				}
			}
		}
	}
	return out
}

// senses is a set of groups of synonyms, at most 128.
type senses [2]uint64

// shared reports whether two sets have a group in common.
func (s senses) shared(o senses) bool { return s[0]&o[0]|s[1]&o[1] != 0 }

// sensesOf gives every stem of a list the set of its groups.
func sensesOf(list string) map[string]senses {
	out := map[string]senses{}
	for i, line := range strings.Split(strings.ReplaceAll(strings.TrimSpace(list), "\n", "|"), "|") {
		for w := range set(line) {
			s := out[stemOf(w)]
			s[i/64] |= 1 << (i % 64)
			out[stemOf(w)] = s
		}
	}
	return out
}

// The weights of terms that say little.
const (
	lightWeight = .3 // of verbs and nouns that go with everything
	classWeight = .4 // of nouns that name a class of answers
	kindWeight  = .25
	verbWeight  = .6 // of German words that are no nouns
	maxRarity   = 5  // of any term: the rarest words of a question may be those that the documents do not use
)

var (
	lightWords = set(`part make made use used take taken have get give do call called name named type kind sort happen mean does main work find
		found known new different various example thing way like considered recommended
		put puts pick picks gets gotten want wants need needs try let lets tell tells say says said come comes go goes going turn turns turned
		switch talk talks look looks happens happened seem seems show shows set sets hold holds keep keeps bring brings allow allowed permitted possible
		able nothing something anything everything someone somebody nobody actually really just later again leave stand stands kommt kam kamen gilt gelten steht stehen liegt liegen bleibt bleiben erscheint stellt stellen bringt lauft laufen ganz einzelne einzelnen
		obtenir indiquer poser sert mettre donner trouver utiliser passer compter vient machen macht gemacht geben gibt bekommen heisst heissen genannt`)
	classWords = set(`many much long often far old people person place country city state county town continent district region province
		company year date day month time located location situated address number amount term language role purpose
		jahr datum tag monat zeit ort land stadt person menschen leute anzahl zahl`)
	// countedPeople are counted by a number alone: "40" carries 40 people.
	countedPeople = set(`people inhabitants persons personen menschen leute einwohner passengers`)
	// parts announce a number that is the name of a part of something.
	parts = set(`module week question video step homework hw lesson unit chapter section kapitel abschnitt woche schritt frage seite page figure table`)
	// auxiliaries open a question that wants yes or no.
	auxiliaries = set(`sollte sollten konnte konnten muss mussen darf durfen wird werden bin bist gibt is are was were can could do does did may should must has have will would ist sind war waren kann konnen darf muss soll hat haben wird`)
	// askers are capitalised at the start of a question and are not names.
	askers = set(`who whom whose what which when where why how is are was were do does did can could should would will may must has have had
		in on at to from by of for the a an if name list give tell describe explain i my and
		wer wem wen wessen was wann wo woher wohin warum wieso weshalb wie welche welcher welches welchen welchem ist sind war waren hat haben kann darf muss
		nenne gib beschreibe erklare seit bis in im am an auf aus von mit bei fur zu zum zur der die das den dem ein eine
		qui que quel quelle quels quelles ou quand comment pourquoi combien quien donde cuando cual como cuanto chi dove quando come quanto quem onde qual`)
	// smallWords are function words of German and French, which the analyzer of
	// English keeps.
	smallWords = set(`ich du er sie es wir ihr man mich mir dich dir sich uns euch ihm ihn ihnen mein meine meinen meiner dein sein ihre unser
		der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner dieser diese dieses jeder jede jedes
		und oder aber denn sondern als wie wenn falls weil dass damit ob bevor nachdem solange sobald nicht auch nur noch schon sehr so zu zur zum
		ist sind war waren bin sei wird werden wurde wurden hat haben hatte kann konnen konnte muss mussen soll sollen sollte sollten darf durfen will wollen
		mag mochte in im an am auf aus bei beim mit nach seit von vom vor fur gegen ohne um uber unter durch zwischen neben hinter bis
		da dann dort hier nun jetzt ja nein doch mal etwas nichts alle alles viel viele mehr meisten daran darin davon dazu dafur womit wozu wovon worin
		ab auf los zuruck hin her heraus herunter hinein gibt geht lasst lasse lassen tritt machen mache nehme nehmen hole holen bringe bringen komme kommen
		le la les un une des du de et ou mais donc car ni que qui quoi dont ou je tu il elle on nous vous ils elles me te se mon ma mes ton ta tes son sa ses
		ce cet cette ces au aux en dans par pour sur sous avec sans entre vers chez est sont etait etre ai as avons avez ont avoir fait faire faut peut peuvent
		peux puis dois doit ne pas plus moins tres aussi bien comme si quand lorsque comment pourquoi combien quel quelle quels quelles y a-t-il`)
	prepositions = set(`for in at on by with from under against without fur gegen ohne bei mit unter aus`)
	determiners  = set(`the a an my your their his her its der die das den dem des ein eine einen einem einer eines mein dein sein ihr`)
	// connectors stand within names.
	connectors = set(`of the de la von van du der den and und`)
)
