"""The file for spark-submit: see facecrop_spark/submit.py."""

import sys

from facecrop_spark.submit import main

sys.exit(main())
