import CreditStore
import Testing

struct StoreLocationTests {
  @Test(arguments: [
    ("postgres://me:secret@host/db", "postgres://me@host/db"),
    ("postgres://me:@host/db", "postgres://me@host/db"),
    ("postgresql://:secret@host", "postgresql://@host"),
    ("postgres://me:sec@ret@host/db?a=b", "postgres://me@host/db?a=b"),
    ("postgres://me:sec/ret@host/db", "postgres://me@host/db"),
    ("postgres://me:%zzsecret@host", "postgres://me@host"),
    ("postgres:///db?password=secret", "postgres:///db"),
    ("postgres:///db?user=me&password=secret&host=h", "postgres:///db?user=me&host=h"),
    ("postgres:///db?p%61ssword=secret", "postgres:///db"),
    ("postgres:///db?a=b?sslpassword=secret", "postgres:///db?a=b"),
    ("postgres://me:secret@h1:5432,h2/db", "postgres://me@h1:5432,h2/db"),
    ("postgres://me:secret@[::1]:5432/db", "postgres://me@[::1]:5432/db"),
  ])
  func aPasswordIsNotShown(_ url: String, _ shown: String) {
    let location = StoreLocation(path: url, isNamed: true)
    #expect(URLPassword.isIn(url))
    #expect(location.path == shown)
    #expect(location.address == url)
    #expect(location.isURL)
  }

  @Test(arguments: [
    "/var/lib/credit", "a:b@c", "postgres://me@host:5432/db",
    "postgres://host:5432/db?application_name=a@b",
    "postgres:///?service=credits", "postgres:///db?passfile=/f&password2=x",
  ])
  func anAddressWithoutPasswordIsShownAsItIs(_ path: String) {
    #expect(!URLPassword.isIn(path))
    #expect(StoreLocation(path: path, isNamed: true).path == path)
  }
}
