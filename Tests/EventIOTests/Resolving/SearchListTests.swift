import Testing

@testable import EventIO

@Suite("Search lists")
struct SearchListTests {
    @Test(
        "A name is tried as it is first if it has enough dots, and last otherwise",
        arguments: [
            ("db", 1, ["db.one.test", "db.two.test", "db"]),
            ("db.prod", 1, ["db.prod", "db.prod.one.test", "db.prod.two.test"]),
            ("db.prod", 2, ["db.prod.one.test", "db.prod.two.test", "db.prod"]),
            ("db", 0, ["db", "db.one.test", "db.two.test"]), ("db.", 1, ["db."]), ("a.b.", 5, ["a.b."]),
        ] as [(String, Int, [String])])
    func order(host: String, dots: Int, names: [String]) {
        #expect(SearchList(domains: ["one.test", "two.test."], dots: dots).names(for: host) == names)
    }

    @Test("A name is tried once as it is, even if the root is a search domain or there are none")
    func root() {
        #expect(SearchList(domains: ["."], dots: 1).names(for: "db") == ["db"])
        #expect(SearchList(domains: [], dots: 1).names(for: "db") == ["db"])
    }
}
