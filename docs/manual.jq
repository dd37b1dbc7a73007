# Makes a man page (mdoc) of the parser's dump of a command. In: the dump. $details: a Markdown file with more text by option and command.
# $reference: a Markdown file whose headings become sections. $tail: mdoc for the end of the page. $date: of the page.

# A line of text: nothing in it is a macro.
def line: gsub("\\\\"; "\\e") | gsub("-"; "\\-") | sub("^(?<c>[.'])"; "\\&" + .c);

# Text with code in backticks, bold words and links; the code is bold, and of a link the text stays.
def inline:
  gsub("!?\\[(?<text>[^\\]]*)\\](\\([^)]*\\)|\\[[^\\]]*\\])"; .text) | gsub("\\\\(?<mark>[*|])"; .mark)
  | split("`") | [to_entries[] | if .key % 2 == 1 then "\\fB" + (.value | line) + "\\fR"
    else .value | line | gsub("\\*\\*(?<text>[^*]*)\\*\\*"; "\\fB" + .text + "\\fR") end] | add // ""
  # Bold words around code.
  | gsub("\\*\\*"; "");

# Text behind a macro: no word of it is a macro, and no quote begins an argument.
def argument: inline | gsub("\""; "\\(dq") | gsub("(?<!\\S)(?<word>[A-Z][a-z]{1,2})(?!\\S)"; "\\&" + .word);

# The blocks of a Markdown text: code, tables, lists, headings and paragraphs. `lines` of a list has one string for each item.
def parsed:
  def ended: if .lines == [] then . else .blocks += [{kind, lines}] | .lines = [] end | .kind = "";
  reduce (split("\n")[], "") as $line ({blocks: [], kind: "", lines: [], isFenced: false};
    ($line | startswith("```")) as $isFence
    | if .isFenced then if $isFence then .isFenced = false | ended else .lines += [$line] end
      elif $isFence then ended | .isFenced = true | .kind = "code"
      elif $line == "" then if .kind == "code" then .lines += [""] else ended end
      elif .kind == "list" and ($line | test("^ +\\S")) then .lines[-1] += " " + ($line | sub("^ +"; ""))
      else
        ($line | if test("^\\[[^\\]]+\\]: ") then "none" elif startswith("#") then "heading" elif startswith("|") then "table"
          elif test("^(- |[0-9]+\\. )") then "list" elif startswith("    ") then "code" else "text" end) as $kind
        | if $kind != .kind or $kind == "heading" then ended | .kind = $kind else . end
        | if $kind == "none" then . else .lines += [$line | if $kind == "list" then sub("^(- |[0-9]+\\. )"; "") elif $kind == "code" then .[4:] else . end] end
      end)
  | ended | .blocks;

def cells: gsub("\\\\\\|"; "\u0001") | split("|")[1:-1] | map(gsub("^ +| +$"; "") | gsub("\u0001"; "|"));

# The rows of a table as a list: the first cell, and the others with their titles.
def rows: map(cells) | .[0] as $titles | [.[2:][] | . as $row
  | ".It " + ($row[0] | argument) + "\n" + (if ($row | length) == 2 then $row[1]
    else [range(1; $row | length) | . as $column | select($row[$column] != "")
      | ($titles[$column] | if . == "" then "" else . + ": " end) + $row[$column]] | join("; ") end | inline)];

def code: {lines: (.lines | until(length == 0 or .[-1] != ""; .[:-1]))} | .lines
  | ".Bd -literal -offset indent\n" + (map(line) | join("\n")) + "\n.Ed";

def block:
  if .kind == "code" then code
  elif .kind == "heading" then (.lines[0] | if startswith("## ") then ".Sh " + (ltrimstr("## ") | ascii_upcase | argument)
    else ".Ss " + (sub("^#+ "; "") | argument) end)
  elif .kind == "table" then ".Bl -tag -width 15n -compact\n" + (.lines | rows | join("\n")) + "\n.El"
  # A name with code may have a colon there.
  elif .kind == "list" and all(.lines[]; test("^(`[^`]*`|[^`:.]){1,40}: ")) then
    ".Bl -tag -width 15n -compact\n" + (.lines | map(capture("^(?<name>(`[^`]*`|[^`:.])*): (?<text>[\\s\\S]*)$")
      | ".It " + (.name | argument) + "\n" + (.text | inline)) | join("\n")) + "\n.El"
  elif .kind == "list" then ".Bl -bullet -compact\n" + (.lines | map(".It\n" + inline) | join("\n")) + "\n.El"
  else .lines | join(" ") | inline end;

# No space stands before or behind a heading.
def blocks: parsed | reduce .[] as $block (""; . + (if . == "" then "" elif $block.kind == "heading" or endswith("\u0001") then "\n"
    else "\n.Pp\n" end | gsub("\u0001"; "")) + ($block | block) + (if $block.kind == "heading" then "\u0001" else "" end)) | gsub("\u0001"; "");

# Text by heading; a heading with commas stands for several.
def sections:
  [split("\n## ")[1:][] | capture("^(?<names>[^\n]*)\n(?<text>[\\s\\S]*)$") | .text as $text | .names | split(", ")[]
    | {key: ., value: $text}] | from_entries;

# Of a command's arguments: one entry for each option, with both names of a flag and its opposite.
def entries($command):
  [.arguments[]? | select(.shouldDisplay)
    | {command: $command, section: (.sectionTitle // "General"), kind, valueName,
       names: [(.names // [])[] | if .kind == "short" then "-" + .name else "--" + .name end],
       abstract: (.abstract // ""),
       facts: ([(.allValues // empty | select(length > 0) | "values: " + join(", ")),
                (.defaultValue // empty | select(. != "") | "default: " + .)] | join("; "))}]
  | reduce .[] as $entry ([];
      if $entry.kind == "flag" and length > 0 and .[-1].kind == "flag" and ($entry.names[0] | startswith("--no-"))
        and $entry.names[0][5:] == .[-1].names[0][2:]
      then .[-1].names += $entry.names else . + [$entry] end);

def title: (.names | sort_by(length)) as $names
  | ([$names[] | "Fl " + (ltrimstr("-") | line)] | join(" , ")) + (if .kind == "option" then " Ar " + (.valueName | line) else "" end);

# The longest name is the option's own.
def name: .names[0] as $first | [.names[] | select(startswith("--"))][0] // $first;

def commands: "Commands: " + (.commands | join(", ") | line) + ".";

def item($details; $all):
  name as $name
  | [.commands[] | $details[. + " " + $name] // empty][0] as $own
  | ".It " + title,
    (.abstract + (if .facts == "" then "" else " (" + .facts + ")" end) | inline),
    (($own // $details[$name]) | select(.) | ".Pp\n" + blocks),
    (select($all | length > 0) | ".Pp\n" + commands);

# The examples of a command's help, without the lines around them.
def examples:
  capture("EXAMPLES:\n(?<text>[\\s\\S]*?)\n\n").text | split("\n") | map(sub("^  "; "") | line) | join("\n")
  | ".Bd -literal -offset indent\n" + . + "\n.Ed";

def sentence: .abstract | line;

($details | "\n" + . | sections) as $details
| .command as $root
| [$root.subcommands[]? | select(.commandName != "help")] as $commands
| [$commands[].commandName] as $all
| (if ($commands | length) > 0
   then [$commands[] | .commandName as $name | entries($name)[]]
   else [$root | entries($root.commandName)[]] end) as $entries
# An option that several commands have in the same words stands once.
| (reduce $entries[] as $entry ([];
    (map(.names == $entry.names and .abstract == $entry.abstract and .section == $entry.section) | index(true)) as $place
    | if $place == null then . + [$entry | .commands = [$entry.command]]
      else .[$place].commands += [$entry.command] end)
  | map(select(.kind != "positional"))) as $options
| (["Input", "Output", "Faces", "Framing", "Size", "Print", "Paper", "Rules", "Encoding", "Color and metadata", "Resuming", "Plans",
    "Jobs and memory", "Limits", "Reporting", "General"]) as $order
| ([$options[].section] | unique | sort_by(. as $title | $order | index($title) // (length - 2))) as $titles
| [
  ".Dd " + $date, ".Dt " + ($root.commandName | ascii_upcase) + " 1", ".Os",
  ".Sh NAME", ".Nm " + $root.commandName, ".Nd " + ($root | sentence | rtrimstr(".")),
  ".Sh SYNOPSIS",
  (if ($commands | length) > 0
   then ($all[] | ".Nm " + $root.commandName + " " + . + "\n.Op Ar options\n.Ar input"
     + (if . == "avatar" or . == "crop" then "" else " ..." end)
     + (if . == "batch" then "\n.Fl d Ar folder" else "" end))
   else ".Nm " + $root.commandName, ($options[] | select(name | IN("--help", "--version") | not) | ".Op " + title),
     ".Op Fl \\-setting Ar value No ..." end),
  ".Sh DESCRIPTION",
  ($details[$root.commandName] // "" | blocks),
  (if ($commands | length) > 0 then
    ".Pp", "Examples:", ($root.discussion | examples),
    ".Sh COMMANDS",
    ($commands[] | ".Ss " + .commandName, sentence, ($details[.commandName] | select(.) | ".Pp\n" + blocks),
      ".Pp", "Examples:", (.discussion | examples))
   else
    # The settings of the server are text: titles, then names with the text below.
    ($root.discussion | split("\n\nEXAMPLES:\n")[0] | gsub("\n"; " ") | line),
    ".Pp", "Examples:", ($root.discussion | examples),
    ".Sh SETTINGS",
    ($root.discussion | split("\n\n")[2:][] | split("\n")
      | ".Ss " + (.[0] | rtrimstr(":") | (.[:1] + (.[1:] | ascii_downcase) | gsub("urls"; "URLs"))), ".Bl -tag -width 6n",
        (.[1:][] | if startswith("  --") then ".It Fl " + (ltrimstr("  -") | line) else sub("^ +"; "") | line end), ".El")
   end),
  ".Sh OPTIONS",
  ($titles[] as $title | [$options[] | select(.section == $title)] as $these
    # What all options of a section have in common stands once.
    | ([$these[].commands] | unique | length == 1) as $isShared
    | (if ($titles | length) > 1 then ".Ss " + $title else empty end),
      (if $isShared and ($all | length) > 0 and $title != "General" then ($these[0] | commands) else empty end),
      ".Bl -tag -width 6n", ($these[] | item($details; if $isShared then [] else $all end)), ".El"),
  ($reference | "\n" + . | sub("^[\\s\\S]*?(?=\n## |$)"; "") | blocks),
  ($tail | rtrimstr("\n"))
] | map(select(. != "")) | join("\n")
