package extractive

// The words by which a value is known, in English and German.
var (
	numerals = set(`two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
		twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half once twice
		zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn
		zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig hundert tausend dutzend halbes halbe einmal zweimal dreimal
		deux trois quatre cinq sept huit neuf dix cent mille dos tres cuatro cinco seis siete ocho nueve diez cien mil`)
	months = set(`january february march april may june july august september october november december jan feb mar apr jun jul aug sept sep oct nov dec
		januar februar marz mai juni juli oktober dezember janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre
		enero febrero marzo abril mayo junio julio septiembre octubre noviembre diciembre`)
	// dates are other words that tell when.
	dates = set(`monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
		spring summer autumn winter century noon midnight morning evening afternoon today yesterday tomorrow christmas easter bc
		weekday weekdays weekend weekends
		montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag montags dienstags mittwochs donnerstags freitags samstags sonntags
		fruhling sommer herbst jahrhundert mittag mitternacht morgens morgen abends heute gestern weihnachten ostern uhr wochenende werktags
		lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miercoles jueves viernes sabado domingo siecle siglo`)
	// everyDay tells when behind first, second, last, each, every.
	everyDay   = set(`day month year week weekend tag monat jahr woche`)
	ordinal    = set(`first second third last working each every ersten zweiten dritten letzten erster jeden jedes jede jeder`)
	moneyWords = set(`dollar dollars euro euros pound pounds crown crowns shilling shillings pence penny cent cents franc francs yen usd eur gbp chf
		rupee rupees yuan free mark schilling franken rappen kronen krone kostenlos gratis frei peso pesos`)
	freeWords   = set(`free kostenlos gratis frei gratuit gratuito`)
	weightWords = set(`kg g lb lbs t kilogram kilograms kilo kilos gram grams ton tons tonne tonnes pound pounds ounce ounces stone
		kilogramm gramm tonnen pfund zentner`)
	durationWords = set(`second seconds minute minutes hour hours day days week weeks month months year years decade decades
		daily weekly monthly annual annually yearly every once twice times until min h
		sekunde sekunden minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren taglich wochentlich monatlich jahrlich alle jede jeden
		einmal zweimal dreimal mal bis`)
	frequencyWords = set(`until every daily weekly monthly annually yearly once twice bis alle jede jeden taglich wochentlich monatlich jahrlich einmal zweimal`)
	lengthWords    = set(`km m cm mm ft in mi metre metres meter meters kilometre kilometres kilometer kilometers centimetre centimetres centimeter
		centimeters millimetre millimetres millimeter millimeters feet foot inch inches mile miles fathom fathoms yard yards
		metern zentimeter kilometern meilen`)
	// textUnits measure texts and files.
	textUnits = set(`byte bytes bit bits kb mb gb tb kib mib gib tib kilobyte megabyte gigabyte terabyte megabytes gigabytes pixel pixels px dpi
		word words character characters letter letters digit digits line lines row rows column columns token tokens
		zeichen wort worter buchstaben ziffern zeile zeilen spalten octets octet mots caracteres lettres chiffres lignes colonnes`)
	areaWords = set(`hectare hectares acre acres square sq km2 m2 mb gb kb tb people inhabitants volumes percent employees members litres liters
		hektar quadratmeter quadratkilometer einwohner mitglieder mitarbeiter prozent liter`)
	ageWords   = set(`age aged old born birthday alt alter geboren jahre jahrig`)
	rateWords  = set(`percent per prozent pro`)
	continents = set(`africa asia europe america australia oceania antarctica afrika asien europa amerika australien antarktis`)
	// people are persons or bodies without a name.
	people = set(`people person children child adults adult men women man woman patients patient doctors doctor students student members member team
		brothers brother sisters sister son daughter king queen company officials official workers worker users anyone everyone you nurse nurses
		parents engineer engineers teacher teachers council committee department
		mann frau manner frauen kinder kind arzt arzte arztin bruder schwester sohn tochter konig konigin firma verein gemeinde ingenieur ingenieurin
		lehrer lehrerin schuler mitarbeiter mitarbeiterin leiter leiterin hausmeister hausmeisterin eltern`)
	// placeBefore stands before a place.
	placeBefore = set(`in at from to near on of behind under between into im aus zu am an auf bei nach vor hinter unter zwischen ins zur zum`)
	// bornIn stands before the place of a birth or death.
	bornIn  = set(`in at near from im aus bei`)
	copulas = set(`is are was were means ist sind war waren bedeutet bezeichnet`)
)
