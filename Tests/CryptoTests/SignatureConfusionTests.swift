import Crypto
import Testing

@Suite("Signatures that are almost right")
struct SignatureConfusionTests {
    @Test("Each flipped bit of a signature makes it wrong", arguments: SignatureAlgorithm.allCases)
    func flippedBits(algorithm: SignatureAlgorithm) throws {
        let vector = try SignatureVector.first(of: algorithm)
        let key = try vector.key()
        for bit in 0..<vector.signature.count * 8 {
            var signature = vector.signature
            signature[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.verifies(signature[...], of: vector.message[...], by: algorithm), "bit \(bit)")
        }
        #expect(key.verifies(vector.signature[...], of: vector.message[...], by: algorithm))
    }

    @Test("Each flipped bit of a message makes its signature wrong", arguments: SignatureAlgorithm.allCases)
    func flippedMessage(algorithm: SignatureAlgorithm) throws {
        let vector = try SignatureVector.first(of: algorithm)
        let key = try vector.key()
        // More bits of the long messages would add nothing but time.
        for bit in 0..<min(vector.message.count * 8, 400) {
            var message = vector.message
            message[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.verifies(vector.signature[...], of: message[...], by: algorithm), "bit \(bit)")
        }
    }

    @Test("A signature of any other length is wrong", arguments: SignatureAlgorithm.allCases)
    func lengths(algorithm: SignatureAlgorithm) throws {
        let vector = try SignatureVector.first(of: algorithm)
        let key = try vector.key()
        let right = vector.signature
        let others =
            (0..<right.count).map { Array(right.prefix($0)) } + [right + [0], [0] + right, right + right]
        for signature in others {
            #expect(
                !key.verifies(signature[...], of: vector.message[...], by: algorithm), "\(signature.count)")
        }
    }

    @Test("A signature is wrong by every other algorithm", arguments: SignatureAlgorithm.allCases)
    func otherAlgorithms(algorithm: SignatureAlgorithm) throws {
        let vector = try SignatureVector.first(of: algorithm)
        let key = try vector.key()
        for other in SignatureAlgorithm.allCases where other != algorithm {
            #expect(!key.verifies(vector.signature[...], of: vector.message[...], by: other), "\(other)")
        }
    }

    @Test("A signature is wrong by a key of every other kind", arguments: SignatureAlgorithm.allCases)
    func otherKeys(algorithm: SignatureAlgorithm) throws {
        let vector = try SignatureVector.first(of: algorithm)
        for other in SignatureAlgorithm.allCases where other.keyKind != algorithm.keyKind {
            let key = try SignatureVector.first(of: other).key()
            #expect(!key.verifies(vector.signature[...], of: vector.message[...], by: algorithm), "\(other)")
        }
    }

    @Test("A signature of PKCS #1 v1.5 is not read as PSS, and the reverse")
    func paddings() throws {
        // Wycheproof signs messages with one key in both ways.
        let plain = try #require(try SignatureVector.read("Wycheproof/RS256").first { $0.verdict == .right })
        let salted = try #require(try SignatureVector.read("Wycheproof/PS256").first { $0.verdict == .right })
        let key = try plain.key()
        #expect(plain.message == salted.message)
        #expect(plain.keyWords == salted.keyWords)
        #expect(!key.verifies(plain.signature[...], of: plain.message[...], by: .ps256))
        #expect(!key.verifies(salted.signature[...], of: salted.message[...], by: .rs256))
        #expect(key.verifies(plain.signature[...], of: plain.message[...], by: .rs256))
        #expect(key.verifies(salted.signature[...], of: salted.message[...], by: .ps256))
    }

    @Test("A public key is no secret of HMAC")
    func publicKeyAsSecret() throws {
        // Whoever knows the public numbers could make this code, if a key fitted several kinds of algorithms.
        let vector = try SignatureVector.first(of: .ed25519)
        let numbers = try #require(Base64URL.decode(vector.keyWords[1]))
        let code = vector.message.withUnsafeBytes { SHA256Digest(authenticating: $0, with: numbers) }.bytes
        let secret = try VerificationKey.secret(numbers)
        #expect(!(try vector.key()).verifies(code[...], of: vector.message[...], by: .hs256))
        #expect(secret.verifies(code[...], of: vector.message[...], by: .hs256))
    }

    @Test("r and s of 0, and beyond the order of the curve, are wrong", arguments: ["ES256", "ES384"])
    func extremeNumbers(name: String) throws {
        let algorithm = try #require(SignatureAlgorithm(name: name))
        let vector = try SignatureVector.first(of: algorithm)
        let key = try vector.key()
        let size = vector.signature.count / 2
        let zero = [UInt8](repeating: 0, count: size)
        let largest = [UInt8](repeating: 0xff, count: size)
        let r = Array(vector.signature.prefix(size))
        let s = Array(vector.signature.suffix(size))
        for signature in [zero + zero, zero + s, r + zero, largest + s, r + largest, s + r] {
            #expect(!key.verifies(signature[...], of: vector.message[...], by: algorithm))
        }
        #expect(key.verifies((r + s)[...], of: vector.message[...], by: algorithm))
    }

    @Test("DER is not the form of a token's signature")
    func der() throws {
        let vector = try SignatureVector.first(of: .es256)
        let r = Array(vector.signature.prefix(32))
        let s = Array(vector.signature.suffix(32))
        // Both numbers of this vector begin with a bit of 0 or get a zero in front.
        let integers = [r, s].flatMap { number -> [UInt8] in
            let digits = number[0] >= 0x80 ? [0] + number : number
            return [0x02, UInt8(digits.count)] + digits
        }
        let der = [0x30, UInt8(integers.count)] + integers
        #expect(!(try vector.key()).verifies(der[...], of: vector.message[...], by: .es256))
    }

    @Test("A slice in the middle of an array is verified as it is")
    func slices() throws {
        let vector = try SignatureVector.first(of: .es256)
        let key = try vector.key()
        let all = [1, 2, 3] + vector.message + [46] + vector.signature + [9]
        let message = all[3..<3 + vector.message.count]
        let signature = all[(4 + vector.message.count)..<(all.count - 1)]
        #expect(!key.verifies(signature, of: all[2..<3 + vector.message.count], by: .es256))
        #expect(key.verifies(signature, of: message, by: .es256))
    }
}
