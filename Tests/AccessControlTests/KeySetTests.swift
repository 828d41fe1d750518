import Crypto
import JSONBytes
import Testing

@testable import AccessControl

/// `Vectors/KeySets` has the documents that are short.
@Suite("Key sets")
struct KeySetTests {
    private func secret(_ byte: UInt8, _ members: String = "") -> String {
        #"{"kty":"oct","k":"\#(Base64URL.encode([UInt8](repeating: byte, count: 32)))"\#(members)}"#
    }

    private func set(_ keys: String...) -> KeySet {
        SignedToken.keySet(#"{"keys":[\#(keys.joined(separator: ","))]}"#)
    }

    @Test("A document of more than 256 KiB is refused, and one of 256 KiB is read")
    func length() throws {
        let document = { (count: Int) in
            Array(#"{"keys":[],"x":"\#(String(repeating: "a", count: count))"}"#.utf8)[...]
        }
        let most = 256 * 1024 - document(0).count
        #expect(throws: KeySetFault.tooLong) { try KeySet(parsing: document(most + 1), allowsSecrets: false) }
        #expect(try KeySet(parsing: document(most), allowsSecrets: false).isEmpty)
    }

    @Test("A document may be a part of other bytes")
    func slice() throws {
        let bytes = Array("xx{\"keys\":[\(secret(1))]}yy".utf8)
        #expect(try KeySet(parsing: bytes[2..<(bytes.count - 2)], allowsSecrets: true).count == 1)
    }

    @Test("An empty set verifies nothing")
    func empty() throws {
        #expect(KeySet.empty.isEmpty)
        #expect(!KeySet.empty.fits(SignatureAlgorithm.allCases))
        let token = try SignedToken.parse(SignedToken.text())
        #expect(TokenVerifier(SignedToken.rules).verify(token, with: .empty, at: 0) == .unknownKey)
    }

    @Test("A set fits algorithms if it has a key for one of them")
    func fits() {
        #expect(set(secret(1)).fits([.es256, .hs256]))
        #expect(!set(secret(1)).fits([.es256]))
        #expect(!set(secret(1)).fits([]))
    }

    @Test("Sets with equal keys are the same in another order, with other members and other white space")
    func sameKeys() {
        let set = set(secret(1, #","kid":"a""#), secret(2))
        let other = SignedToken.keySet(
            #"{ "next": 1, "keys": [ \#(secret(2, #","use":"sig""#)), \#(secret(1, #", "x5c": [], "kid":"a""#)) ] }"#
        )
        #expect(set.hasSameKeys(as: other))
        #expect(other.hasSameKeys(as: set))
        #expect(set.hasSameKeys(as: self.set(secret(2), secret(2), secret(1, #","kid":"a""#))))
    }

    @Test("Sets differ by a key, by a kid and by an algorithm")
    func otherKeys() {
        let set = set(secret(1, #","kid":"a""#))
        for other in [
            KeySet.empty, self.set(secret(2, #","kid":"a""#)), self.set(secret(1)),
            self.set(secret(1, #","kid":"A""#)), self.set(secret(1, #","kid":"a""#), secret(2)),
        ] {
            #expect(!set.hasSameKeys(as: other))
            #expect(!other.hasSameKeys(as: set))
        }
        let rsa = #""kty":"RSA","e":"AQAB","n":"\#(modulus)""#
        let all = SignedToken.keySet("{\"keys\":[{\(rsa)}]}")
        #expect(all.count == 1)
        #expect(!all.hasSameKeys(as: SignedToken.keySet("{\"keys\":[{\(rsa),\"alg\":\"RS256\"}]}")))
    }

    @Test("kid is compared by its bytes")
    func keyID() {
        let set = set(secret(1, #","kid":"caf\u00e9""#), secret(2, #","kid":"""#))
        #expect(set.keys(for: "caf\u{e9}").count == 1)
        #expect(set.keys(for: "cafe\u{301}").isEmpty)
        #expect(set.keys(for: "").count == 1)
        #expect(set.keys(for: nil).count == 2)
    }

    @Test("Of several keys with one kid, the fitting one verifies")
    func sharedKeyID() throws {
        let keys = set(
            secret(1, #","kid":"a""#),
            #"{"kty":"oct","kid":"a","k":"\#(Base64URL.encode(SignedToken.secret))"}"#)
        let token = try SignedToken.parse(SignedToken.text(header: #"{"alg":"HS256","kid":"a"}"#))
        #expect(
            TokenVerifier(SignedToken.rules).verify(token, with: keys, at: SignedToken.now)
                == .valid(until: .max))
    }

    @Test("A key that is gone verifies nothing")
    func gone() throws {
        let token = try SignedToken.parse(SignedToken.text(header: #"{"alg":"HS256","kid":"a"}"#))
        let verifier = TokenVerifier(SignedToken.rules)
        let known = #"{"kty":"oct","kid":"a","k":"\#(Base64URL.encode(SignedToken.secret))"}"#
        #expect(verifier.verify(token, with: set(known), at: SignedToken.now) == .valid(until: .max))
        #expect(
            verifier.verify(token, with: set(secret(2, #","kid":"b""#)), at: SignedToken.now) == .unknownKey)
    }

    @Test("The fifth key without kid is not tried", arguments: 0...5)
    func tries(_ others: Int) throws {
        let key = #"{"kty":"oct","k":"\#(Base64URL.encode(SignedToken.secret))"}"#
        let keys = (0..<others).map { secret(UInt8($0)) } + [key]
        let set = SignedToken.keySet(#"{"keys":[\#(keys.joined(separator: ","))]}"#)
        let token = try SignedToken.parse(SignedToken.text())
        let verdict = TokenVerifier(SignedToken.rules).verify(token, with: set, at: SignedToken.now)
        #expect(verdict == (others < 4 ? .valid(until: .max) : .unknownKey))
    }

    @Test("Reasons show no key")
    func reasons() {
        let document =
            #"{"keys":[{"kty":"oct","k":"Z2VoZWlt","kid":"geheim"},{"kty":"EC","crv":"Z2VoZWlt"}]}"#
        let set = SignedToken.keySet(document)
        #expect(set.skipped.count == 2)
        for skipped in set.skipped {
            #expect(!skipped.reason.description.contains("geheim"))
            #expect(!skipped.reason.description.contains("Z2VoZWlt"))
        }
    }

    @Test("A set names its first four skipped keys", arguments: 0...6)
    func reasonsOfSkipped(_ count: Int) {
        let set = SignedToken.keySet(
            "{\"keys\":[\((0..<count).map { _ in "{}" }.joined(separator: ","))]}")
        let named = (1...4).prefix(count).map { "key \($0): kty is not RSA, EC, OKP or oct" }
        let rest = count > 4 ? ["and \(count - 4) more"] : []
        #expect(set.reasonsOfSkipped == (count == 0 ? nil : (named + rest).joined(separator: "; ")))
    }

    private let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-"
        + "yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-"
        + "KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_"
        + "h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
}
