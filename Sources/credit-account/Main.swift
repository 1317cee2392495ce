internal import CreditCommand

@main
enum Main {
  static func main() { Program.main(.account) }
}
