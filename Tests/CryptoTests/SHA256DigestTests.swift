import Crypto
import Testing

@Suite("SHA-256 and HMAC")
struct SHA256DigestTests {
    @Test(
        "Text that is not 64 hexadecimal digits is not a digest",
        arguments: [
            "", "0", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
            String(repeating: "g", count: 64), String(repeating: "0", count: 63) + " ",
            "0x" + String(repeating: "0", count: 62), String(repeating: "é", count: 32),
            String(repeating: "0", count: 128),
        ])
    func wrongTexts(text: String) {
        #expect(SHA256Digest(hexadecimal: text) == nil)
    }

    @Test(
        "The examples of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func examples(text: String, hexadecimal: String) {
        let digest = SHA256Digest(of: text)
        #expect(digest.hexadecimal == hexadecimal)
        #expect(digest == SHA256Digest(hexadecimal: hexadecimal))
        #expect(digest == SHA256Digest(hexadecimal: hexadecimal.uppercased()))
        #expect(digest == SHA256Digest(of: Array(text.utf8)))
        #expect(digest == SHA256Digest(of: ([0] + Array(text.utf8) + [0]).dropFirst().dropLast()))
    }

    @Test("The digest of a million letters a")
    func longMessage() {
        let digest = SHA256Digest(of: [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(
            digest.hexadecimal == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("Bytes, words and digits are in the same order")
    func order() throws {
        let text = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        let digest = try #require(SHA256Digest(hexadecimal: text))
        #expect(digest.bytes == Array(0..<32))
        #expect(digest.words.0 == 0x0001_0203_0405_0607)
        #expect(digest.words.3 == 0x1819_1a1b_1c1d_1e1f)
        #expect(digest.hexadecimal == text)
        let hashed = SHA256Digest(of: "abc")
        #expect(hashed.bytes.prefix(4) == [0xba, 0x78, 0x16, 0xbf])
    }

    @Test("Digests that differ in one bit are not equal")
    func equality() throws {
        let text = SHA256Digest(of: "abc").hexadecimal
        for index in text.indices {
            var other = text
            other.replaceSubrange(index...index, with: text[index] == "0" ? "1" : "0")
            #expect(SHA256Digest(hexadecimal: other) != SHA256Digest(of: "abc"))
        }
    }

    // RFC 4231 4.2, 4.3, 4.7.
    @Test(
        "The examples of RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func codes(secret: [UInt8], message: String, hexadecimal: String) {
        let code = Array(message.utf8).withUnsafeBytes { SHA256Digest(authenticating: $0, with: secret) }
        #expect(code.hexadecimal == hexadecimal)
    }
}
