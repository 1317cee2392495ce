import CreditModel
import Testing

@testable import CreditJSON

/// Returns the import of a text, with remarks on the rest.
func imported(_ text: String, _ credits: [Name: Credits] = [:]) throws -> CatalogImport {
  try JSONDocument(text).withRoot { file throws(CreditError) in
    try CatalogImport(file, productCredits: credits)
  }
}

func written(_ catalog: CatalogImport) -> String {
  var writer = JSONWriter()
  writer.catalog(catalog)
  return writer.string
}

/// The lines of a catalog's models, without the commas between them.
func models(_ text: String) throws -> [String] {
  written(try imported(text)).split(separator: "\n").filter { $0.hasPrefix("{\"id\"") }
    .map { $0.last == "," ? String($0.dropLast()) : String($0) }
}

func leftOut(_ catalog: CatalogImport) -> [String] {
  catalog.entriesLeftOut.lines { "\($0) \($1)" }
}

func pricesLeftOut(_ catalog: CatalogImport) -> [String] {
  catalog.pricesLeftOut.lines { "\($0) \($1)" }
}
