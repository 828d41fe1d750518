import Crypto
import Testing

@testable import AccessControl

@Suite("Vectors of RFCs, of PyJWT and of our own")
struct VectorTests {
    @Test("A token gets its verdict", arguments: Vector.tokens)
    func token(_ vector: Vector) throws {
        let settings = Dictionary(
            uniqueKeysWithValues: try #require(vector.values["rules"]).split(separator: " ").map { word in
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts[1])
            })
        let rules = TokenRules(
            algorithms: try #require(settings["algorithms"]).split(separator: ",").map {
                try #require(SignatureAlgorithm(name: $0))
            }, issuer: try #require(settings["issuer"]), audience: [try #require(settings["audience"])])
        let keys = try KeySet(
            parsing: bytes(try #require(vector.values["keys"])), allowsSecrets: rules.allowsSecrets)
        let now = try #require(settings["at"].flatMap { Int64($0) })

        var verdict: [String] = []
        do throws(TokenFault) {
            let token = try UnverifiedToken(parsing: bytes(vector.values["token"] ?? ""))
            if vector.verdict.first == "signed", TokenVerifier(rules).fault(ofSignature: token, keys) == nil {
                verdict.append("signed")
            }
            switch TokenVerifier(rules).verify(token, with: keys, at: now) {
            case .valid(let end): verdict.append("valid until \(end)")
            case .invalid(let fault): verdict.append("invalid: \(fault)")
            case .unknownKey: verdict.append("unknown key")
            }
        } catch {
            verdict.append("refused: \(error)")
        }
        #expect(verdict == vector.verdict)
    }

    @Test("A key set has its keys", arguments: Vector.keySets)
    func keySet(_ vector: Vector) throws {
        let document = (vector.values["document"] ?? "").replacing("\\uFEFF", with: "\u{FEFF}")
        var verdict: [String] = []
        do throws(KeySetFault) {
            let keys = try KeySet(
                parsing: bytes(document), allowsSecrets: vector.values["secrets"] != nil)
            verdict += keys.keys.map { key in
                "key \(key.keyID ?? "-"): \(key.algorithms.map(\.name).joined(separator: " "))"
            }
            verdict += keys.skipped.map { "skipped \($0.index): \($0.reason)" }
        } catch {
            verdict.append("refused: \(error)")
        }
        #expect(verdict.sorted() == vector.verdict.sorted())
    }

    private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }
}
