# Valve command and rod pressure of the stick at 80 V/rad, full, reduced and paper's model.
# gnuplot docs/pictures/twice_the_gain.gp, with the traces of the models in out/; see README.md here.
set terminal pngcairo noenhanced size 1400,540 font "sans,13"
set output "out/twice_the_gain.png"
set datafile separator ","
set datafile commentschars "#"
set datafile columnheaders
full = "out/stick_sine_harvester_full.csv"
reduced = "out/stick_sine_harvester_reduced.csv"
paper = "out/stick_sine_harvester_paper.csv"
set multiplot layout 1,2 title "stick_sine on harvester, stick at 80 V/rad (representative machine, not identified from one machine)"
set border 3
set tics nomirror
set grid linecolor rgb "#d0d0d0"
set key top center
set xlabel "time [s]"
set xrange [15:25]
set ylabel "stick valve command [V]"
plot full using (column("t_s")):(column("stick_valve_V")) with lines linecolor rgb "#0072b2" linewidth 2.5 title "full", \
     reduced using (column("t_s")):(column("stick_valve_V")) with lines linecolor rgb "#009e73" linewidth 1.4 title "reduced", \
     paper using (column("t_s")):(column("stick_valve_V")) with lines linecolor rgb "#d55e00" linewidth 1.2 title "paper"
set key top left
set ylabel "stick pressure P4 [MPa]"
plot full using (column("t_s")):(column("stick_port_b_Pa")*1e-6) with lines linecolor rgb "#0072b2" linewidth 2.5 title "full", \
     reduced using (column("t_s")):(column("stick_port_b_Pa")*1e-6) with lines linecolor rgb "#009e73" linewidth 1.4 title "reduced", \
     paper using (column("t_s")):(column("stick_port_b_Pa")*1e-6) with lines linecolor rgb "#d55e00" linewidth 1.2 title "paper"
unset multiplot
