internal import CreditJSON

/// What is around the content of a page that needs no other file and no network. No script runs but
/// its own, which is known by its SHA-256.
struct HTMLPage {
  /// Escaped.
  let title: String
  let style: [UInt8]
  var script: [UInt8]?

  /// All that is before the content.
  var head: [UInt8] {
    let scripts = script.map { script in
      let sum = Base64.encode(SHA256.digest(Array("\n".utf8) + script))
      return "script-src 'sha256-\(String(decoding: sum, as: UTF8.self))'; "
    }
    return Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'unsafe-inline'; \(scripts ?? "")img-src data:; base-uri 'none'; \
      form-action 'none'">
      <title>\(title)</title>
      <style>

      """.utf8) + style
      + Array("</style>\n</head>\n<body>\n".utf8)
  }

  /// All that is behind the content.
  var end: [UInt8] {
    let scripts = script.map { Array("<script>\n".utf8) + $0 + Array("</script>\n".utf8) }
    return (scripts ?? []) + Array("</body>\n</html>\n".utf8)
  }
}
