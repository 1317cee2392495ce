import Testing

@testable import CreditServer

struct ShortMapTests {
  @Test(arguments: [0, 1, 7, 8, 9, 10, 100])
  func findsEachKeyAmongFewAndMany(count: Int) {
    var map = ShortMap<String, Int>()
    for number in 0..<count { #expect(map.append("\(number)", number) == number) }
    for number in 0..<count { #expect(map.place(of: "\(number)") == number) }
    #expect(map.place(of: "none") == nil)
    #expect(map.keys == (0..<count).map { "\($0)" })
  }

  @Test func aValueIsChangedInItsPlace() {
    var map = ShortMap<String, Int>()
    for number in 0..<20 { map.append("\(number)", number) }
    map[12] += 1
    #expect(map.values == Array(0..<12) + [13] + Array(13..<20))
  }

  @Test(arguments: [3, 30]) func asASetItHasEachKeyOnce(count: Int) {
    var set = ShortMap<Int, Void>()
    for _ in 0..<2 { for number in 0..<count { set.insert(number) } }
    #expect(set.keys == Array(0..<count))
  }
}
