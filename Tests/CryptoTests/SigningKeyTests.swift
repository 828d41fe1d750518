import Crypto
import Testing

@Suite("Keys that sign, for tests")
struct SigningKeyTests {
    private static func make(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
        algorithm == .es256 ? try .makeEllipticCurve() : try .makeEd25519()
    }

    // Many rounds, since one in 128 numbers of ECDSA begins with a byte of 0.
    @Test("A key verifies what it signed and nothing else", arguments: [SignatureAlgorithm.es256, .ed25519])
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let key = try Self.make(algorithm)
        let other = try Self.make(algorithm)
        for round in 0..<300 {
            let message = SecureRandom.bytes(round)
            let signature = try key.sign(message[...])
            #expect(signature.count == 64)
            #expect(!other.verificationKey.verifies(signature[...], of: message[...], by: algorithm))
            #expect(!key.verificationKey.verifies(signature[...], of: (message + [0])[...], by: algorithm))
            #expect(key.verificationKey.verifies(signature[...], of: message[...], by: algorithm))
        }
    }

    @Test("The public members make the same key again")
    func publicMembers() throws {
        let key = try SigningKey.makeEllipticCurve()
        let members = Dictionary(uniqueKeysWithValues: key.publicMembers.map { ($0.name, $0.value) })
        #expect(Set(members.keys) == ["kty", "crv", "x", "y", "alg"])
        #expect(members["alg"] == "ES256")
        let again = try VerificationKey.ellipticCurve(
            .p256, x: try #require(Base64URL.decode(members["x"] ?? "")),
            y: try #require(Base64URL.decode(members["y"] ?? "")))
        let message: [UInt8] = [1, 2, 3]
        let signature = try key.sign(message[...])
        #expect(again.verifies(signature[...], of: message[...], by: .es256))
    }
}
