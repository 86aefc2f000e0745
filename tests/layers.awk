# Who includes whom: reads src/LAYERS, then sources, and names every #include that points the wrong way.
# usage: awk -f tests/layers.awk src/LAYERS src/*/*.[chS] include/interlock/*.h

FILENAME ~ /LAYERS$/ {
	if ($0 ~ /^#/ || NF == 0)
		next
	folder = $1
	sub(/:$/, "", folder)
	for (i = 2; i <= NF; i++)
		may[folder, $i] = 1
	may[folder, folder] = 1
	next
}

/^[ \t]*#[ \t]*include[ \t]+"/ {
	split($0, quoted, "\"")
	target = quoted[2]
	parts = split(FILENAME, path, "/")
	from = path[parts - 1]
	slash = index(target, "/")
	to = slash ? substr(target, 1, slash - 1) : from
	if (to == "interlock")
		next
	private = target ~ /_priv\.h$/ && to != from
	if (path[1] == "include" || private || !(may[from, to] || may[from, target])) {
		printf "%s:%d: %s may not include \"%s\"\n", FILENAME, FNR, from, target
		bad = 1
	}
}

END { exit bad }
