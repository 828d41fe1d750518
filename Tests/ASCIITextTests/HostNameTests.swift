import ASCIIText
import Testing

@Suite("Names of hosts")
struct HostNameTests {
    @Test(
        "The final dot of a name belongs to no comparison, and only one dot is final",
        arguments: [
            ("", ""), (".", ""), ("a", "a"), ("a.", "a"), ("a.b.", "a.b"), ("a..", "a."), (".a", ".a"),
            ("a.\u{301}", "a.\u{301}"),
            ("a\u{600}.", "a\u{600}"), ("::1", "::1"), ("10.0.0.1.", "10.0.0.1"),
        ])
    func withoutFinalDot(name: String, compared: String) {
        #expect(HostName.withoutFinalDot(name) == compared)
        Array(name.utf8).withUnsafeBytes { name in
            #expect(HostName.withoutFinalDot(name).elementsEqual(compared.utf8))
        }
        #expect(HostName.isAbsolute(name) == (name.utf8.count > compared.utf8.count))
        #expect(HostName.areSame(name, name))
        // Without the last of two dots, the other one is final.
        let isSame = !HostName.isAbsolute(compared)
        #expect(HostName.areSame(name, compared) == isSame && HostName.areSame(compared, name) == isSame)
    }

    @Test(
        "Other names are not the same",
        arguments: [("a", "b"), ("a.", "b."), ("a..", "a"), ("a.b", "ab"), (".a", "a"), ("A", "a")])
    func others(one: String, other: String) {
        #expect(!HostName.areSame(one, other))
    }
}
