import Crypto
import Testing

@Suite("Keys that are refused")
struct VerificationKeyTests {
    private static func modulus(bits: Int, last: UInt8 = 1) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (bits + 7) / 8)
        bytes[0] = 1 << ((bits + 7) % 8)
        bytes[bytes.count - 1] |= last
        return bytes
    }

    @Test("An RSA modulus needs 2048 to 8192 bits", arguments: [0, 1, 512, 1024, 2047, 8193, 16384])
    func modulusSizes(bits: Int) {
        let modulus = bits == 0 ? [0, 0] : Self.modulus(bits: bits)
        #expect(throws: KeyFault.modulusSize(bits: bits)) {
            try VerificationKey.rsa(modulus: modulus, exponent: [1, 0, 1])
        }
    }

    @Test("Zeros in front make an RSA modulus no longer")
    func leadingZeros() throws {
        let zeros = [UInt8](repeating: 0, count: 200)
        #expect(throws: KeyFault.modulusSize(bits: 1024)) {
            try VerificationKey.rsa(modulus: zeros + Self.modulus(bits: 1024), exponent: [1, 0, 1])
        }
        #expect(
            try VerificationKey.rsa(modulus: [0] + Self.modulus(bits: 2048), exponent: [0, 3]).kind == .rsa)
    }

    @Test("An even RSA modulus is refused")
    func evenModulus() {
        #expect(throws: KeyFault.evenModulus) {
            try VerificationKey.rsa(modulus: Self.modulus(bits: 2048, last: 2), exponent: [1, 0, 1])
        }
    }

    @Test(
        "An RSA exponent of 0, 1, an even number or more than 8 bytes is refused",
        arguments: [[], [0], [1], [0, 0, 1], [2], [1, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 1]])
    func exponents(exponent: [UInt8]) {
        #expect(throws: KeyFault.exponent) {
            try VerificationKey.rsa(modulus: Self.modulus(bits: 2048), exponent: exponent)
        }
    }

    @Test("A point that is not on the curve is refused", arguments: ["ES256", "ES384"])
    func pointsBesideTheCurve(name: String) throws {
        let vector = try SignatureVector.first(of: try #require(SignatureAlgorithm(name: name)))
        let curve: VerificationKey.Curve = name == "ES256" ? .p256 : .p384
        let x = try #require(Base64URL.decode(vector.keyWords[1]))
        let y = try #require(Base64URL.decode(vector.keyWords[2]))
        var other = y
        other[other.count - 1] ^= 1
        let zero = [UInt8](repeating: 0, count: x.count)
        let largest = [UInt8](repeating: 0xff, count: x.count)
        for (x, y) in [(x, other), (y, x), (zero, zero), (x, zero), (largest, y), (x, largest)] {
            #expect(throws: KeyFault.pointNotOnCurve) { try VerificationKey.ellipticCurve(curve, x: x, y: y) }
        }
        #expect(
            try VerificationKey.ellipticCurve(curve, x: x, y: y).kind
                == SignatureAlgorithm(name: name)?.keyKind)
    }

    @Test("A point of one curve is refused as a point of the other")
    func otherCurve() throws {
        let small = try SignatureVector.first(of: .es256)
        let x = try #require(Base64URL.decode(small.keyWords[1]))
        let y = try #require(Base64URL.decode(small.keyWords[2]))
        #expect(throws: KeyFault.length(bytes: 32, expected: 48)) {
            try VerificationKey.ellipticCurve(.p384, x: x, y: y)
        }
        let zeros = [UInt8](repeating: 0, count: 16)
        #expect(throws: KeyFault.pointNotOnCurve) {
            try VerificationKey.ellipticCurve(.p384, x: zeros + x, y: zeros + y)
        }
    }

    @Test("A coordinate of another length is refused", arguments: [0, 31, 33, 64])
    func coordinateLengths(count: Int) throws {
        let vector = try SignatureVector.first(of: .es256)
        let x = try #require(Base64URL.decode(vector.keyWords[1]))
        let other = [UInt8](repeating: 0, count: count)
        #expect(throws: KeyFault.length(bytes: count, expected: 32)) {
            try VerificationKey.ellipticCurve(.p256, x: x, y: other)
        }
        #expect(throws: KeyFault.length(bytes: count, expected: 32)) {
            try VerificationKey.ellipticCurve(.p256, x: other, y: x)
        }
    }

    @Test("A key of Ed25519 has 32 bytes", arguments: [0, 31, 33, 57])
    func ed25519Lengths(count: Int) {
        #expect(throws: KeyFault.length(bytes: count, expected: 32)) {
            try VerificationKey.ed25519([UInt8](repeating: 7, count: count))
        }
    }

    @Test("A key of Ed25519 with which anyone could sign is refused, whatever the sign of x")
    func smallOrders() throws {
        let vectors = try SignatureVector.read("Wycheproof/Ed25519").filter {
            $0.name.contains("torsion point") && $0.name.contains("(order")
                || $0.name.contains("identity public")
        }
        #expect(vectors.count == 8)
        // 0 and 1 again, with the field's prime added.
        let others = [
            "7f_______________________________________38", "7v_______________________________________38",
        ]
        for text in vectors.map({ $0.keyWords[1] }) + others {
            var bytes = try #require(Base64URL.decode(text))
            #expect(throws: KeyFault.smallOrder) { try VerificationKey.ed25519(bytes) }
            bytes[31] ^= 0x80
            #expect(throws: KeyFault.smallOrder) { try VerificationKey.ed25519(bytes) }
        }
    }

    @Test("A secret has at least 32 bytes", arguments: [0, 1, 6, 31])
    func secretLengths(count: Int) throws {
        #expect(throws: KeyFault.shortSecret(bytes: count)) {
            try VerificationKey.secret([UInt8](repeating: 7, count: count))
        }
        #expect(try VerificationKey.secret([UInt8](repeating: 7, count: 32)).kind == .secret)
    }

    @Test("A fault says what is allowed, and nothing of the key")
    func words() {
        #expect(
            KeyFault.modulusSize(bits: 1024).description
                == "the RSA modulus has 1024 bits; 2048 to 8192 are allowed")
        #expect(
            KeyFault.shortSecret(bytes: 6).description == "the secret has 6 bytes; at least 32 are needed")
        #expect(
            KeyFault.length(bytes: 31, expected: 32).description
                == "a value has 31 bytes, and the curve needs 32")
    }

    @Test(
        "none, other spellings and unknown algorithms are not read",
        arguments: [
            "none", "None", "NONE", "", "hs256", "rs256", "eddsa", "ES512", "ES256K", "PS384", "RSA1_5",
            "RS256 ",
        ])
    func unknownAlgorithms(name: String) {
        #expect(SignatureAlgorithm(name: name) == nil)
    }

    @Test("EdDSA is read as Ed25519, and every algorithm by its name")
    func algorithmNames() {
        #expect(SignatureAlgorithm(name: "EdDSA") == .ed25519)
        for algorithm in SignatureAlgorithm.allCases {
            #expect(SignatureAlgorithm(name: algorithm.name) == algorithm)
        }
    }
}
