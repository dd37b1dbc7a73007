# Of the page that generate-manual makes of the server: the settings are text there, one after the other; make them a list.
s/^SETTINGS:$/.Bl -tag -width 6n/
s/^  --\(.*\)$/.It Fl -\1/
s/^          //
# There are no subcommands.
/^\.Ar subcommand/d
/^\.It Em help$/,/^\.It Ar subcommands/d
0,/^\.El$/{/^\.El$/d}
# The options are a list of their own.
0,/^\.Bl -tag -width 6n$/!{
  s/^\.Bl -tag -width 6n$/.El\n.Sh OPTIONS\n.Bl -tag -width 6n/
}
# mdoc has no blank lines.
s/^$/.Pp/
