package text

import (
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
)

// wordClass is what a common English word mostly is. A capital at the start of
// a sentence, a quotation or a heading makes no name of such a word.
type wordClass uint8

const (
	rareWord   wordClass = iota
	verbWord             // look, looked, knew
	adverbWord           // similarly, yesterday
	adjWord              // important
	weakNoun             // sense, individuals: says little without other words
	commonNoun           // patient, bridge
)

// classOf returns the class of a folded word. Regular forms of the words in the
// lists are told by their endings, and so are adverbs.
func classOf(w string) wordClass {
	if c, ok := commonWords[w]; ok {
		return c
	}
	if isAdverb(w) {
		return adverbWord
	}
	for _, form := range [...]struct {
		ending string
		puts   []string // what may stand in its place
		of     func(wordClass) wordClass
	}{
		{"ied", []string{"y"}, verbForm}, {"ed", []string{"", "e"}, verbForm},
		{"ing", []string{"", "e"}, verbForm}, {"ies", []string{"y"}, anyForm},
		{"es", []string{""}, anyForm}, {"s", []string{""}, anyForm},
		{"ers", []string{"", "e"}, agentForm}, {"ors", []string{"", "e"}, agentForm},
	} {
		stem, ok := strings.CutSuffix(w, form.ending)
		if !ok || len(stem) < 2 {
			continue
		}
		for _, put := range form.puts {
			if c := form.of(commonWords[stem+put]); c != rareWord {
				return c
			}
		}
		if n := len(stem); n > 2 && stem[n-1] == stem[n-2] && form.of(verbWord) == verbWord {
			if c := form.of(commonWords[stem[:n-1]]); c != rareWord {
				return c // stopped
			}
		}
	}
	return rareWord
}

// verbForm is the class of the -ed or -ing of a word.
func verbForm(c wordClass) wordClass {
	if c == verbWord {
		return verbWord
	}
	return rareWord
}

// anyForm is the class of the -s of a word.
func anyForm(c wordClass) wordClass {
	if c == adverbWord || c == adjWord {
		return rareWord
	}
	return c
}

// agentForm is the class of persons who do what a verb says.
func agentForm(c wordClass) wordClass {
	if c == verbWord {
		return commonNoun
	}
	return rareWord
}

// isAdverb reports whether a folded word has the ending of an English adverb
// that no name has.
func isAdverb(w string) bool {
	if len(w) < 7 || !strings.HasSuffix(w, "ly") {
		return false
	}
	for _, ending := range [...]string{"ally", "arly", "ily", "edly", "ingly", "ously", "ively", "ably", "ibly",
		"ently", "antly", "ately", "etely", "itely", "utely", "fully", "lessly", "erely", "orely", "ectly", "ertly", "ainly",
		"ickly", "ietly", "ildly", "oldly", "ownly", "owly", "ewly", "ardly", "ortly", "ightly", "iefly", "ostly", "astly",
		"irstly", "ondly", "irdly", "emely", "iquely", "ddenly"} {
		if strings.HasSuffix(w, ending) {
			return true
		}
	}
	return false
}

// isContraction reports whether a word as it is written is a contraction of a
// pronoun, an auxiliary or a question word: don't, I'm, we've, who'd.
func isContraction(word string) bool {
	i := strings.IndexAny(word, "'’")
	if i <= 0 || len(word) > 12 {
		return false
	}
	stem, rest := lex.Fold(word[:i]), strings.TrimLeft(lex.Fold(word[i:]), "'’")
	switch rest {
	case "t":
		return strings.HasSuffix(stem, "n")
	case "m", "ll", "ve", "re", "d":
		return lex.IsStop(stem) || stem == "there" || stem == "here" || stem == "let"
	}
	return stem == "o" && rest == "clock" || stem == "ma" && rest == "am" || stem == "y" && rest == "all"
}

// commonWords are common words of English by their class. A word that is verb
// and noun is listed as what it mostly is in the form listed.
var commonWords = func() map[string]wordClass {
	words := map[string]wordClass{}
	for _, list := range []struct {
		class wordClass
		words string
	}{
		{verbWord, `switch see saw seen sail stream calm rely reopen recommend park brake accept accuse achieve act adapt add adjust admit adopt advise affect afford agree aim allow announce answer
			appear apply appoint approach approve argue arise arrange arrest arrive ask assess assign assume attach attack
			attempt attend avoid back ban bake base beat become begin behave believe belong bend bite blame bleed bless blow boil borrow
			break breathe bring build burn burst buy calculate call calm care carry catch cause cease celebrate change charge chase
			check choose clean clear click climb close collect combine come comment commit compare compete complain complete
			compose compress concern conclude conduct confirm confuse connect consider consist contain continue contribute
			convert convince cook cope copy correct corrupt cost cough count cover crack crash create cross cry cut damage dance dare deal
			decide declare decline decrease defeat defend define delay delete deliver demand deny depart depend derive
			describe deserve destroy detect determine develop die differ dig diminish disagree disappear discover discuss
			dismiss display divide download drag draw dream dress drink drive drop drown dry earn eat edit educate elect
			eliminate embrace emerge emphasize employ enable encounter encourage end engage enhance enjoy ensure enter
			escape establish estimate evaluate evolve examine exceed exclaim exclude exist expand expect explain explore export
			express extend extract face fail fall feed feel fetch fight fill find finish fit fix flee float flow fly focus
			follow forbid force forget forgive form foster found freeze fulfil gain gather generate get give glance go grab grant greet
			grind groan grow guarantee guess guide handle hang happen hate hear help hesitate hide highlight hire hit hold
			hope hunt hurry hurt identify ignore illustrate imagine implement import imply improve include increase indicate
			influence inform inhibit insert insist inspire install intend interact interpret introduce invent invest invite
			involve issue jump justify keep kick kill kiss kneel knock know lack last laugh launch lay lead lean leap learn
			leave lend let lie lift like limit listen live load look lose love lower maintain make manage march mark marry
			matter mean measure meet melt mention merge mind miss mix monitor move multiply need neglect nod note notice
			observe obtain occupy occur offer open operate oppose order organize overcome owe own paint participate pass
			pause pay perceive perform permit persuade pick place plan plant play please point pour praise pray predict
			prefer prepare present preserve press pretend prevent proceed process produce promise promote propose protect
			prove provide publish pull punish purchase pursue push put quit raise reach react read realize recall receive
			recognize recommend recover reduce refer reflect refuse regard regret reject relate release rely remain remember
			remind remove render repair repeat replace reply report represent require rescue resemble reset resign resist
			resolve respond rest restart restore result retain retire return reveal ride ring rinse rise rub ruin run rush save say
			scan scream search seek seem select sell send separate serve set settle shake share shift shine shoot shout show
			shrug shut sigh sign sing sink sit sleep slide smell smile solve sound speak specify spend spread stand stare start state
			stay steal stick stir stop store strengthen stretch strike strive struggle study submit succeed suffer suggest
			suit supply support suppose surprise surround survive suspect swear sweep swim swing take talk taste teach tear
			tell tend test thank think throw touch trace train transfer transform translate travel treat tremble try turn
			type uncover understand undergo undermine unfold unplug update upgrade upload use validate vanish vary verify visit vote wait wake walk
			want warn wash waste watch wear weigh whisper win wipe wish wonder work worry wrap write yell yield
			arose ate awoke beaten became become been began begun bent bit bitten bled blew blown born borne bought bound
			broke broken brought built burnt came caught chose chosen clung cost crept dealt did done drank drawn dreamt drew
			driven drove dug eaten fallen fed fell felt fled flew flown forbade forgave forgot forgotten fought froze
			frozen gave given gone got gotten grew ground grown heard held hid hidden hung kept knelt knew known laid lain led left
			lent lit lost made meant met paid put quit ran rang read ridden risen rode rose run rung said sang sank sat saw seen
			sent shaken shone shook shot shown shrank shut slept slid sold sought spent spoke spoken sprang stole stolen stood
			stricken struck stuck stung sung sunk swam swept swore sworn swung taken taught thought threw thrown told took tore
			torn trod understood undid undone undertook undertaken undertake undergone underwent wept went withdrew withdrawn withdraw
			woke won wore worn wound written wrote beheld bade forsook forsaken strode stride leapt overheard heed heeded bowed
			ensued ensue dwell dwelt allocate allocated optimize leverage utilize prioritize cultivate navigate necessitate facilitate
			mitigate tackle exacerbate shape shapes shaped underscore delve
			simulate deprecate configure override parse execute initialize append invoke`},
		{adverbWord, `despite amid amidst whilst whither hither thither em tis twas hallo halloa bye tut eh humbug accordingly actually afterward afterwards again ago alike almost alone aloud already also alternatively altogether
			always anyhow anyway apart apparently approximately aside away besides certainly clearly consequently conversely
			currently directly downstairs early easily either else elsewhere especially even eventually ever everywhere
			exactly fairly finally firstly formerly forth forward frequently further furthermore generally gently gradually
			greatly hardly hence here highly however immediately indeed initially instead inside just largely lastly late
			lately later likely likewise literally maybe meantime meanwhile merely mostly moreover namely nearly
			nevertheless never newly next nonetheless normally notably nowadays now nowhere obviously occasionally often
			once only originally otherwise outside overall partly perhaps please possibly presently previously primarily
			probably promptly properly quickly quietly quite rarely rather readily really recently regardless
			seldom shortly similarly simply simultaneously slightly slowly so softly somehow sometimes somewhat somewhere soon specifically
			still strongly subsequently suddenly surely then thereafter thereby therefore thus today together tomorrow
			tonight too totally traditionally twice typically ultimately unfortunately fortunately unlike upstairs upwards
			usually utterly very well whereby wherever widely worldwide yesterday yet abroad ahead backwards forwards nay aye
			yes no ok okay oh ah alas hello hi hey thanks goodbye hush bah ha hurrah amen indeed`},
		{adjWord, `black white red green blue yellow brown grey gray pink purple sorry accessible plump jocund cognitive utmost uncommon spare younger able absent abstract abundant academic acceptable accurate active actual acute additional adequate advanced
			afraid aggressive alive alternative amazing ancient angry annual anxious apparent appropriate artificial asleep
			automatic available average aware bad bare basic beautiful beneficial better best bitter bold brave brief bright
			broad busy capable careful central certain cheap cheerful chief chronic civil classic clean clever cold comfortable common
			compact compatible complex comprehensive confident conscious conservative considerable consistent constant
			contemporary convenient conventional cool correct critical crucial cruel curious current daily damp dangerous
			dark dead deaf dear decent deep default definite delicate delicious dense dependent desirable desperate detailed
			different difficult digital dirty distant distinct diverse domestic double dull eager earlier earliest easy economic effective
			efficient elderly elegant electric electronic emotional empty endless enormous entire environmental equal
			essential ethical everyday evident evil exact excellent exciting exclusive expensive experimental explicit
			external extra extraordinary extreme fair faithful false familiar famous fast fat favourite favorite fellow fierce final financial
			fine firm flat flexible foolish foreign formal former free frequent fresh friendly full functional fundamental funny
			future general generous gentle genuine glad global glorious gradual grateful grave greater greatest guilty happy hard
			harmful healthy heavy helpful hidden historic historical holistic honest horizontal hot huge human humble hungry
			ideal identical ill illegal immediate immense important impossible inclusive incredible independent individual
			industrial inevitable initial inner innocent innovative intelligent intense interesting internal invisible
			joint keen key kind large larger largest last lasting latter lazy leading least legal less lesser likely limited
			liquid literary local logical lonely long longer loose loud lovely loyal lucky mad magnificent main major male female mandatory
			manual mass massive mature maximum meaningful medical medium mental mere merry mild minimum minor missing mixed mobile
			modern modest moral multiple mutual naked narrow natural neat necessary negative nervous neutral nice noble
			noisy normal notable novel numerous obvious occasional odd official ongoing only open opposite optimal optional ordinary
			organic original orderly other outer outdated overall own painful pale parallel partial particular past patient
			perfect permanent personal physical plain pleasant plenty poor popular portable positive possible potential
			powerful practical precious precise predictable pregnant present previous primary prime primitive private
			probable productive professional profound prominent prompt proper proud public pure quick quiet radical random
			rapid rare raw ready real realistic reasonable recent regional regular related relative relevant reliable
			reluctant remarkable remote renewable responsible rich ridiculous rigid ripe rough round rude rural sacred sad safe satisfied
			scarce scientific secondary secret secure senior sensible sensitive separate serious severe shallow sharp sheer short
			shy sick significant silent silly similar simple single skilled slight slow small smaller smallest smart smooth social soft
			solid sophisticated sore special specific spiritual splendid stable standard steady steep stiff straight strange
			strict strong stupid subject subsequent substantial subtle successful such sudden sufficient suitable superior
			sure surprising sustainable sweet swift systematic tall technical temporary tender terrible thick thin
			thorough tight tiny tired total tough toxic traditional tremendous tropical true twin typical ubiquitous ugly ultimate
			unable unaware uncertain unexpected uniform unique universal unknown unlikely unnecessary unusual upcoming upset urban urgent
			useful useless usual vague valid valuable various varying vast vertical viable vibrant violent visible visual vital
			vivid voluntary vulnerable warm weak wealthy weary weekly monthly wet whole wicked wide wild willing wise wonderful
			wooden worse worst worth worthy wrong young younger youngest older oldest two three four five six seven eight nine ten eleven twelve twenty
			thirty forty fifty hundred thousand million billion dozen first second third fourth fifth half both neither
			another nobody nothing noone everybody everything everyone somebody something someone anybody anything anyone none
			many much several few little lot lots past`},
		{weakNoun, `sir madam sake instant doubt doings pair length individuals professionals officials materials essentials basics ability absence act action activity addition advantage aim amount angle approach area aspect attempt attention
			attitude authority aware balance basis beginning behalf being benefit bit body capability capacity care case
			category cause chance change chapter character choice circumstance class collection combination concept
			concern conclusion condition consequence consideration content context contrast control core cost couple course
			creation damage danger date deal degree demand description design desire detail development difference
			difficulty dimension direction discussion diversity edge effect effort element emphasis end environment example
			existence experience expression extent eye face fact factor failure fear feature feeling field figure
			focus force form foundation friend front function future gap generation goal group growth guy half hand head heart
			help history hope hour idea identity image impact importance improvement increase individual influence
			information insight instance intention interaction interest introduction issue item job journey kind knowledge lack
			landscape level life line list look loss lot majority man woman men women manner matter meaning means measure member method
			middle mind minute moment month motion move movement name nature necessity need night number object
			occasion opinion opportunity option order other outcome output part past path pattern people period person perspective phase phenomenon
			piece place plan point portion position possibility potential power practice presence present pressure
			principle problem procedure process product progress property purpose quality quantity question range rate
			realm reality reason reference region relation relationship remark result return right rise risk role rule scale scope
			sense sequence series session set shape share side sight sign significance situation size society solution
			sort sound source space spirit stage standard start state statement step story strategy strength structure
			stuff style subject success sum summary surprise system task tendency term theme theory thing thought time today
			tone tool topic total trend truth turn type understanding use value variety version view voice way week
			weekend word work world year day morning evening afternoon minute tomorrow yesterday january february wish will`},
		{commonNoun, `account accident actor adult advice age agency agent agreement air airport algorithm analysis analyst animal answer
			apartment application appointment argument arm army article artist assistant association attack audience author
			average baby back bag bank bar battery battle bed bell bike bill bird blood board boat bone book border boss bottle bottom
			box boy brain branch bread breakfast bridge brother browser budget building bus business button buyer cable
			cake camera camp campaign cancer candidate candle car card career cat cell centre center century ceremony chair
			chairman chairwoman champion chemical chief child children church citizen city claim client climate clock clothes cloud club coach
			coast coat code coffee colleague college colour color column command commander committee communication community
			company competition computer conference connection conservation construction consumer cookie corner council country
			county court cousin cow credit crew crime criminal crisis critic crop crowd culture cup currency customer cycle
			dance data database daughter deadline death debate debt decade decision defence degree delivery democracy
			department desk dessert device diet dinner director disaster disease dish display doctor document dog dollar door
			dose dragon drawing dream dress drink driver drug duty ear earth economy editor education egg election
			electricity emotion employee employer energy engine engineer entry equipment error essay euro event evidence exam
			exercise exhibition expert explosion export eyes facility factory family fan farm farmer fashion father fee file film filter
			fire fish fishing flight floor flower food foot football forest freedom friendship fruit fuel fund game garden
			gas gate gentleman ghost gift girl glass gold government governor grandfather grandmother grass ground guard guest guide gun
			hair hall harbour health hearing heat height helmet hero hill historian holiday home horse hospital host hotel
			house household husband ice income industry infection inflation ingredient injury insect inspector
			institution instruction insurance internet investment island journalist judge juice key king kitchen knee
			laboratory labour lady lake lamp land language laptop law lawyer leader leaf league learning lecture leg lesson
			letter lawn librarian library licence license light link lip literature liver loan log lord lunch lung machine magazine mail
			manager map market marriage master match mayor meal meat medicine medication meeting memory menu merchant message metal milk
			miner minister mirror mission mistake model module money monk monster morality mother mountain mouse mouth
			museum music musician nation neck neighbour neighbor neighbourhood nephew network news newspaper nose notebook novel nurse ocean
			offer office officer official oil operation opponent opposition orchestra organ organization oven owner package
			page pain painter painting pair palace paper parent parking parliament partner party passage passenger password patient
			payment peace pen perimeter performance permission phone photo physician picture pilot pipe plane planet plant plastic plate
			platform player pocket poem poet police policeman policy politician politics pollution pool population port post
			potato poverty president priest prince princess prison prisoner prize producer professor profit program programme
			project protein protest province publication publisher pump pupil queen race radio rail railway rain reader
			recipe record recovery referee reform refund refugee regime religion rent repair reporter republic research
			researcher reserve resident resource restaurant review revenue revolution reward rice ring river road robot rock
			roof room root route routine row salary sale salt sample sauce scene schedule scheme school science scientist
			screen sea season seat secretary section sector security seed senator sentence server servant service
			setting settlement shadow shareholder ship shirt shoe shop shore shot show shower sister site skill skin sky snow soap
			soil soldier son song soul soup speaker specialist species speech spell spider sport spring staff staircase star station statistics
			stomach stone storm stove stranger stream street string student study sugar suit summer sun supper supplier
			supporter surface surgeon surgery survey survival swimming symptom syndrome table tale target tax tea teacher
			teaching team technique technology teenager telephone television temperature temple text theatre therapy thief
			thieves throat ticket title tourism tourist tower town toy track trade tradition traffic training transport treatment
			tree trial trip troop trouble truck tumor tumour tunnel turnout uncle aunt union university user valley valve variable vegetable
			vehicle victim video village violence virus vision visitor volunteer voter wage wall war warning waste water
			weapon weather website wedding weight wheel wife wind window wine wing winner winter witness wolf wood worker
			workshop writer writing youth zone philosopher thinker teams boys girls ladies gentlemen males females
			monday tuesday wednesday thursday friday saturday sunday`},
	} {
		for w := range strings.FieldsSeq(list.words) {
			if _, ok := words[w]; !ok {
				words[w] = list.class
			}
		}
	}
	return words
}()
