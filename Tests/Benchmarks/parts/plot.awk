# A plot as SVG: lines of charges in the store and microseconds a charge.
{ x[NR] = $1; y[NR] = $2; if ($1 > right) right = $1; if ($2 > top) top = $2 }
END {
  top *= 1.25
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 320\""
  print "  font-family=\"sans-serif\" font-size=\"12\">"
  print "<rect width=\"640\" height=\"320\" fill=\"white\"/>"
  for (tick = 0; tick <= 4; tick++) {
    h = 280 - tick * 60
    printf "<path d=\"M60 %d H620\" stroke=\"#ddd\"/>\n", h
    printf "<text x=\"52\" y=\"%d\" text-anchor=\"end\">%.1f</text>\n", h + 4, top * tick / 4
  }
  for (i = 1; i <= NR; i++) {
    px = 60 + 560 * x[i] / right; py = 280 - 240 * y[i] / top
    path = path (i == 1 ? "M" : "L") sprintf("%.1f %.1f", px, py)
    printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#06c\"/>\n", px, py
    label = x[i] >= 1000000 ? x[i] / 1000000 " M" : x[i]
    printf "<text x=\"%.1f\" y=\"298\" text-anchor=\"middle\">%s</text>\n", px, label
  }
  printf "<path d=\"%s\" fill=\"none\" stroke=\"#06c\" stroke-width=\"2\"/>\n", path
  print "<text x=\"60\" y=\"24\">µs of user time a charge, by charges in the store</text>"
  print "</svg>"
}
