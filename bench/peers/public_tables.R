# Writes public tables of Debian's r-cran-mlbench, r-cran-mass and r-cran-kernlab, and
# series of R itself, as CSV: Rscript public_tables.R FOLDER
# The last column of a table is its target, named `target`.
folder <- commandArgs(trailingOnly = TRUE)[1]

write_table <- function(name, package, set, target, drop = c(), rows = 0) {
  environment <- new.env()
  data(list = set, package = package, envir = environment)
  table <- as.data.frame(get(name, envir = environment))
  table <- table[!is.na(table[[target]]), setdiff(names(table), drop)]
  if (rows > 0 && nrow(table) > rows) {
    # A fixed permutation, which does not depend on R's random generator.
    order_of_rows <- order((seq_len(nrow(table)) * 7919) %% 104729)
    table <- table[order_of_rows[seq_len(rows)], ]
  }
  table <- cbind(table[setdiff(names(table), target)], target = table[[target]])
  write.csv(table, file.path(folder, paste0(name, ".csv")), row.names = FALSE, na = "")
}

write_table("PimaIndiansDiabetes", "mlbench", "PimaIndiansDiabetes", "diabetes")
write_table("Ionosphere", "mlbench", "Ionosphere", "Class")
write_table("Sonar", "mlbench", "Sonar", "Class")
write_table("Vehicle", "mlbench", "Vehicle", "Class")
write_table("Glass", "mlbench", "Glass", "Type")
write_table("Vowel", "mlbench", "Vowel", "Class")
write_table("HouseVotes84", "mlbench", "HouseVotes84", "Class")
write_table("Satellite", "mlbench", "Satellite", "classes", rows = 3000)
write_table("LetterRecognition", "mlbench", "LetterRecognition", "lettr", rows = 4000)
write_table("spam", "kernlab", "spam", "type", rows = 3000)
write_table("birthwt", "MASS", "birthwt", "low", drop = "bwt")
write_table("BostonHousing", "mlbench", "BostonHousing", "medv")
write_table("Servo", "mlbench", "Servo", "Class")
write_table("Ozone", "mlbench", "Ozone", "V4")
write_table("cpus", "MASS", "cpus", "perf", drop = c("name", "estperf"))
write_table("nlschools", "MASS", "nlschools", "lang", drop = "class")

write_series <- function(name, values) {
  write.csv(data.frame(v = as.numeric(values)), file.path(folder, paste0(name, ".csv")),
            row.names = FALSE, quote = FALSE)
}

write_series("AirPassengers", AirPassengers)
write_series("co2", co2)
write_series("nottem", nottem)
write_series("UKDriverDeaths", UKDriverDeaths)
write_series("sunspot.month", sunspot.month)
write_series("DAX", EuStockMarkets[, "DAX"])
