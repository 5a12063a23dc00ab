package encoder_test

import "flag"

var long = flag.Bool("long", false, "hold every text of the references to real models' vectors")
