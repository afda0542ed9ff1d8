// A trained Transformer that is small enough to be looked at; it knows six sentences.
//
// Written by book/tools/site/small_model.py. The numbers stand in the order of their
// names in the state dict, from A to Z. Each is a byte: a whole number, to be divided
// by 32.

export const SMALL = {
  "config": {
    "src_vocab_size": 17,
    "tgt_vocab_size": 20,
    "d_model": 6,
    "n_heads": 2,
    "n_layers": 2,
    "d_ff": 12,
    "max_len": 16,
    "pad_id": 0,
    "norm_first": false,
    "tie_embeddings": false
  },
  "srcWords": [
    "<pad>",
    "<sos>",
    "<eos>",
    "<unk>",
    "the",
    "red",
    "I",
    "bites",
    "car",
    "dog",
    "like",
    "man",
    "cars",
    "go",
    "is",
    "lets",
    "mine"
  ],
  "tgtWords": [
    "<pad>",
    "<sos>",
    "<eos>",
    "<unk>",
    "el",
    "Me",
    "al",
    "coche",
    "hombre",
    "muerde",
    "perro",
    "rojo",
    "coches",
    "es",
    "gusta",
    "gustan",
    "los",
    "mío",
    "rojos",
    "vamos"
  ],
  "sentences": [
    "lets go",
    "the dog bites the man",
    "the man bites the dog",
    "I like the red car",
    "I like the red cars",
    "the red car is mine"
  ],
  "bytes": "/PwFBvn89AUP9/jt/vfr7u349BcJDvwIA/Tt7vP47f4O9vn/9/js+vgR+gT29QnyCPH4Cu77Bg8ECwkPBOz/8Avz7BMP+REC7P8M6vbu+wPt/Qj9/fcMAAT2DhLu+vX8APAO+RH+Bw8JFf4J7vXoBRL0AQ3v9e/m8/cDF+zyC/z2+AAM+BDxDhD28QUC+Q4D+QYOCAT6Ahfy9frw7Q4PB/Xz+PMJ8gD2AAICAQD9HiEcHx8g/vr8Bv0K+Pf99vf8DgjrDvr3/gjx/PMD9fL/EgvoAe8H7AgE/vUQBAT/9fcCDhL79Pn4Bg4K+/oD8ADwCvEB8/gJ8/zxBfQHCOoNBPT/+vwQ//oH+/37/wYDC/H6BfPwCOkACwn3A/ANCPX+CwED+AQGAgoN8wgP9PARAQn66xDw7vr0A//q8+v/8fDz9/YRCP8BAPL+DgAJ//z67v7/Dg0GAf8BAf8AGx0gHh8i9PsCA/n9/AYF/P77+/T49+0ABQLx+gH3Gg/+EP/pBQgJ6vP7+gID/A0PAQD/AgD77/QGEv/3+AcEFQr2EQj4EPb09gUZ8Q/+6vYQ7xH6+/rw8gnqDAz6/Ar+9QT/BPMJ/RIQCwME8/j3DOsP7vXvFAcV+Q0R/vj+7/AP7fwJCQMJAgUCBQjvDvzwCQv+BgcGAAT96xP/Du33B+sBBfP++PkIFO73D/UOAAEAAQD+ICMcIiEdAwcB+QIABQ7w+PoWB/0F9wr+Chbx/fXuGPICAQ4L7wIE6vIHE/Lo7wfvCPcKCfgDAgINDBMLD/cN9fMKBPXx9fML8Pr7CAXyAfb9AhEKFBETCAj7+w4J/QH59wvl+QIGCRcIAO/7/wL/8gsDDQsI8xYXDP8G6gHs/fQA9fAVAv8CCwQF9gYNA/UJDff5AP0HEPsOEhIHFv/5ABEW+RD78gz0Bg4R//sFAwH//gICIB8eHB0j+gz6/AP7+fwK9PYF8wMCAvbwDwTu9v739AgQBfz3/v8M+wn3EPwM7PjtCBUD9wnrBgUUAfkEDvTx9f/y9wj6EwfmAw0NARECFP346wUK9/QR9fz+BAL69/77+e/2AQwP9vPqAN7sARMK+OkPAAAPCRYABPDuBAUUDP72+gwCCPICEf/5/RD/D/z09APx/hfm9gkaAfsDEPQZ9gXwDf/99Avx8Qj4APIETkxDREpMAAn4BgP6++oMCRAA/xv3F+sTBBQF9vMIBhP9/unxDu3yAP8L+ezp9RD19Aj8CvX1AAYL+BL3+Pn+CgQRCPcTDvn2CvYG9+/17/ULAfj6CBT5+AL58gUE/wAPEAkaFwruDwT58hUGEAAA+g0GDfkH/RgA/wny/u0JBx77AvgIAPwKDPz7+gb9AfgG9A7s9g//+vL+DO0BCfgJCfj/Fgf68BILCwIZEAUCAQH//gABHyMeHx4k/gT09A0EBQX++fkCAQj8CgLv8wHzBgr78A8GAvvxCfsBAu3v9vIJ9fv7AAQJ8Q4O9/vz9PX4AwQGB/0NAgv1/w729fv+7xEF9gYOCOz1+/UOBfH2BPz/+wEIDg3y8Afy+xH09/8C+AD89PUD/f/1/g37B/ADCfYIA+0S8wv6BPv/+fYNAQXx+xAM8gT2Ew0LAAf8FBEV8xAIA+jwDQgJA/3q/gH//wEAIBwiHh0f/fgK/vQEBQXwExT1DQH4AgUQBQT/ChcBDfXwCw3r5wkHCvALA/gVEw8OAvcBBvoBBgvzFAAZCRT9Cfj3/vPz8P8P7vHr/RMQCOwPEf7x8BUB7g78A/v9+/34AfT77RDwCgMK9QwCEe/39/L+8fP69wr59O4TEO0LDhQEEg7xCgn3Cgb1/hMPAv32/vIKAAT/EvMOCAAGFBMBCOsRAPPtDOz4/xD19ugFAQIB/gH/HxwdHR8f+QYJ+P8G/wT5AgL//gITDA78+QD1/AsE7wwA9QH6/BEE9+8NAw8I9vn1Avj7EPsFDQ309wf3+vn3ChXv9vr28f78+QD+DPwADQP88QUFDfELCfMH+QQDAfwH8A4A9/ADDPL1DgP+AggR/vUN/REFDPwFA/oS+Pb/CREN+AIL+vPyD/MJ9AYBB/H+/wILBfsODPUM+wv0DvgHDvj+EfkKBAYAAAICA/4BIB8dHBwcDAP59P39Aebt/AkSDfP7CvoU6hACAfQG6AgFCA8HGAoMAwoJEv/2E+cU8/n09f31EOsU++sA+QEAEfYP7AMA/O4A/QvzCvQP//r5EQcFA/gKD/P0Bv31//z0BvkCCAf29vXzBRTyCA8P9wsHAQDv9BAI/RHtFe0W7/H5GPUJ/gX9AQMAAPUO+vv7+vYIBQ8P/PsICBD3E/zuBvkX+/IP7/byGgcQ8fwG/gD//wEBHh4iHBwe7u0C6wz8BBL2+fb79vYAAgXz/QoS+g0EDQgO8ggDBgQPJ+P63B8D9g4FCv/SGRca+B4H4O0c4DbWF/kBIt3e7xHOFxzaFdfzHSEaENjoMu310OIQLCgiJg/c994PIusu9eEizyTR9u30BSwM5dgv2wAVBdUr/g4azf335Cbp0R/00hH2Nd7i1AMt+vgAAAAAAAAJ+d7p//3v/BQH5Q0P+gQSAAAB9RIM6OwG+QDmIwAIAxX87BUMDwbzBwsD9+kB9goD8Qb5CPz+GgoNAgkJCRQKAQ4XBfUH8AsL+AfxBwAEBAMaBgYD/wz6//7/+/r47vYAAAAAAAAF/An9AggHFQTx++j16AYDAgrw6PvVBwsH8AYI8vED/gL0/wADBPf6/uj2+OoH/OTtBgnsDPsE+////vb+AAMD9v/56wX7F/7uAxMB8gf0Ew739/8IEwMBCg/5Ce0D//gLCfrnAv0MBAQD/gMQDQTqBwo="
};
