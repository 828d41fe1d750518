import Crypto
import Testing

@Suite("Base64url")
struct Base64URLTests {
    @Test(
        "Padding, blanks, other alphabets, impossible lengths and stray bits are refused",
        arguments: [
            "A", "AAAAA", "AA==", "AA=", "=", "AAA=", "A A", " AA", "AA ", "AA\n", "AA\r\n", "AA+A", "AA/A",
            "AA.A",
            "AAÄ", "AA\0A", "AB", "AAB", "A_", "AA-", "____A", "%41AA",
        ])
    func wrong(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    // RFC 4648 10, without the padding.
    @Test(
        "The examples of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(text: String, encoded: String) {
        #expect(Base64URL.encode(Array(text.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
    }

    @Test("All 64 digits have their values")
    func digits() {
        let text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let bytes = Base64URL.decode(text)
        #expect(bytes?.count == 48)
        #expect(bytes?.prefix(3) == [0x00, 0x10, 0x83])
        #expect(bytes?.suffix(3) == [0xf3, 0xdf, 0xbf])
        #expect(bytes.map(Base64URL.encode) == text)
    }

    @Test("What is encoded is decoded to the same bytes, and no second text has them")
    func roundTrip() {
        for count in 0..<70 {
            let bytes = SecureRandom.bytes(count)
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text) == bytes)
            #expect(Base64URL.decode((Array("..".utf8) + Array(text.utf8)).dropFirst(2)) == bytes)
            guard count % 3 != 0, let last = text.last else { continue }
            let spellings = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                .map { text.dropLast() + String($0) }
            let same = spellings.filter { Base64URL.decode($0) == bytes }
            #expect(same == [text.dropLast() + String(last)])
        }
    }
}
