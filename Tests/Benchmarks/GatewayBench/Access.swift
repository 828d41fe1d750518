import Crypto
import FoundationEssentials
import GatewayCore
import HTTPModel
import JSONBytes

/// The constant value behind what decides who may call: a key, a token that was seen before, a limit.
struct AccessEndpoints {
    static let kinds = [
        (name: "limited/value", meaning: "the same, with one local limit"),
        (name: "keyed/value", meaning: "the same, for a caller with an API key"),
        (name: "token/value", meaning: "the same, for a caller with a token of 700 bytes, seen before"),
    ]

    private static let secret = [UInt8](repeating: 0x5a, count: 32)
    private static let key = "sluice_" + Base64URL.encode([UInt8](repeating: 0xa5, count: 32))

    /// What each request has, wherever it goes.
    static var fields: HTTPFields { ["X-Partner-Key": key, .authorization: "Bearer \(token)"] }

    static func declare(on gateway: Gateway, _ value: JSONFragment) {
        var keys = APIKeySettings(file: "bench.keys", header: "X-Partner-Key")
        keys.contents = Array("bench \(SHA256Digest(of: key).hexadecimal) plan=pro\n".utf8)
        gateway.auth("partners", .apiKeys(keys))

        var tokens = TokenSettings(
            keys: .file("keys.json"), algorithms: [.hs256], issuer: "https://id.example", audience: ["bench"])
        let jwk = #"{"kty":"oct","kid":"bench","alg":"HS256","k":"\#(Base64URL.encode(secret))"}"#
        tokens.contents = Array(#"{"keys":[\#(jwk)]}"#.utf8)
        gateway.auth("mobile", .jwt(tokens))

        gateway.rateLimit("many", RateLimit(key: [.endpoint], rate: 1_000_000, per: .seconds(1)))
        gateway.get("/api/weights/limited/value", .rateLimits("many")) { _ in .fragment(value) }
        gateway.get("/api/weights/keyed/value", .require("partners")) { _ in .fragment(value) }
        gateway.get("/api/weights/token/value", .require("mobile")) { _ in .fragment(value) }
    }

    /// A token that is valid for a day.
    private static let token: String = {
        let expiry = Int(Date().timeIntervalSince1970) + 86_400
        let name = String(repeating: "Ada Lovelace ", count: 29)
        let claims =
            #"{"iss":"https://id.example","aud":"bench","sub":"kim","exp":\#(expiry),"name":"\#(name)"}"#
        let text =
            Base64URL.encode(Array(#"{"alg":"HS256","kid":"bench"}"#.utf8)) + "."
            + Base64URL.encode(Array(claims.utf8))
        let signature = Array(text.utf8).withUnsafeBytes { SHA256Digest(authenticating: $0, with: secret) }
        return text + "." + Base64URL.encode(signature.bytes)
    }()
}
