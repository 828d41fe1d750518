import HTTPModel
import Testing

@Suite("Address of a peer")
struct PeerAddressTests {
    @Test(
        "Text that JSON has to escape has no quoted form",
        arguments: ["a\"b", "a\\b", "a\nb", "\u{0}", "\u{1f}", "\u{7f}", "é", "/tmp/소켓"])
    func escaped(text: String) {
        let address = PeerAddress(text)
        #expect(address.quoted == nil)
        #expect(address.description == text)
    }

    @Test(
        "Other text has a quoted form",
        arguments: ["", "127.0.0.1:8081", "[::1]:80", "/tmp/a socket", " !#[]~"])
    func plain(text: String) {
        let address = PeerAddress(text)
        #expect(address.quoted.map { String(decoding: $0, as: UTF8.self) } == "\"\(text)\"")
        #expect(address.description == text)
    }
}
