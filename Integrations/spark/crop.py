"""For spark-submit, which wants a file: see facecrop_spark/submit.py."""

import sys

from facecrop_spark.submit import main

sys.exit(main())
