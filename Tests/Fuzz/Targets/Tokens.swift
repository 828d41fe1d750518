import AccessControl
import Crypto
import JSONBytes

// Tokens. Nothing may trap. A token that is read has one spelling only, and neither `crit` nor a repeated
// member. A token that the verifier accepts satisfies the rules by a plain reading, and is refused once a bit
// of its signature is flipped, the rules list another algorithm, or no key is known. The text of a claim for
// an upstream is one line of a bounded length. The input is a token, or, if it has line feeds, a header and a
// payload, which are signed here, and bytes that are added to the signature.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTokens(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    check(bytes)
    let lines = bytes.split(separator: 0x0a, maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count > 1 else { return 0 }
    let signed = Base64URL.encode(Array(lines[0])) + "." + Base64URL.encode(Array(lines[1]))
    let code = Array(signed.utf8).withUnsafeBytes { SHA256Digest(authenticating: $0, with: secret) }.bytes
    let extra = lines.count > 2 ? Array(lines[2]) : []
    check(Array((signed + "." + Base64URL.encode(code + extra)).utf8))
    return 0
}

private let secret = [UInt8](repeating: 0x53, count: 32)
private let now: Int64 = 1_700_000_000
private let rules = TokenRules(
    algorithms: [.hs256], issuer: "joe", audience: ["app", "web"], required: ["sub"])
private let otherRules = TokenRules(
    algorithms: SignatureAlgorithm.allCases.filter { $0 != .hs256 }, issuer: "joe", audience: ["app", "web"])

private let keys: KeySet = {
    let text = #"{"keys":[{"kty":"oct","k":"\#(Base64URL.encode(secret))"}]}"#
    guard let keys = try? KeySet(parsing: Array(text.utf8)[...], allowsSecrets: true), keys.count == 1 else {
        fatalError("the key of this target is refused")
    }
    return keys
}()

private func check(_ text: [UInt8]) {
    guard let token = try? UnverifiedToken(parsing: text[...]) else { return }
    guard text.count <= UnverifiedToken.maxLength else { fatalError("a token of \(text.count) bytes") }
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { fatalError("a token with \(parts.count) parts") }
    let decoded = parts.map { part in
        guard let bytes = Base64URL.decode(part), Base64URL.encode(bytes).utf8.elementsEqual(part) else {
            fatalError("a part has a second spelling")
        }
        return bytes
    }
    checkHeader(decoded[0], of: token)
    guard token.claims.bytes.elementsEqual(trimmed(decoded[1])) else {
        fatalError("other claims than signed")
    }
    checkNames(of: token.claims)
    guard decoded[2].count > 0 else { fatalError("a token without a signature") }
    checkSpellings(text)
    checkClaims(token.claims)
    checkVerdict(token, text, decoded[2])
}

private func trimmed(_ json: [UInt8]) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0a, 0x0d].contains(byte) }
    let head = json.drop(while: isBlank)
    return head.prefix((head.lastIndex { !isBlank($0) } ?? head.startIndex - 1) + 1 - head.startIndex)
}

private func checkHeader(_ bytes: [UInt8], of token: UnverifiedToken) {
    guard let header = try? JSONFragment(validating: bytes[...]) else { fatalError("the header is not JSON") }
    checkNames(of: header)
    guard header[member: "crit"] == nil else { fatalError("crit is accepted") }
    guard let name = header[member: "alg"]?.stringValue, SignatureAlgorithm(name: name) == token.algorithm
    else {
        fatalError("another algorithm than the header's")
    }
    guard header[member: "kid"]?.stringValue == token.keyID else { fatalError("another kid") }
}

private func checkNames(of object: JSONFragment) {
    let names = object.members.map(\.name)
    guard object.kind == .object, Set(names).count == names.count else { fatalError("repeated: \(names)") }
}

/// What is added to a token is never ignored.
private func checkSpellings(_ text: [UInt8]) {
    for added in ["=", "==", ".", " ", "\n", "\0", ".e30"] {
        guard (try? UnverifiedToken(parsing: (text + Array(added.utf8))[...])) == nil else {
            fatalError("read with \(added) behind it")
        }
    }
    guard (try? UnverifiedToken(parsing: ([0x20] + text)[...])) == nil else {
        fatalError("read with a space")
    }
}

private func checkClaims(_ object: JSONFragment) {
    let claims = Claims(object)
    for (name, _) in object.members.prefix(20) {
        let path = [JSONPathStep.name(Array(name.utf8))]
        if let text = try? claims.fieldText(at: path[...]) { checkLine(text) }
    }
    guard claims.hasScopes([]) else { fatalError("no scope is missing") }
    guard !claims.hasScopes(["read", "write"]) || claims.hasScopes(["write"]) else {
        fatalError("two scopes, but not one of them")
    }
}

private func checkLine(_ text: String) {
    guard text.utf8.count <= Claims.maxTextLength, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
        fatalError("not the value of a field: \(text.debugDescription)")
    }
}

private func checkVerdict(_ token: UnverifiedToken, _ text: [UInt8], _ signature: [UInt8]) {
    let verifier = TokenVerifier(rules)
    if case .valid = TokenVerifier(otherRules).verify(token, with: keys, at: now) {
        fatalError("a secret verifies another algorithm")
    }
    guard case .valid(let end) = verifier.verify(token, with: keys, at: now) else { return }
    guard end > now else { fatalError("valid until \(end)") }
    checkRules(token.claims, end)
    if case .valid = verifier.verify(token, with: .empty, at: now) { fatalError("valid without a key") }
    if end < .max, case .valid = verifier.verify(token, with: keys, at: end) {
        fatalError("valid at its end")
    }
    guard signature.count == 32, let point = text.lastIndex(of: UInt8(ascii: ".")) else {
        fatalError("a signature of \(signature.count) bytes")
    }
    for bit in [0, 7, 130, 255] {
        var other = signature
        other[bit / 8] ^= 1 << (bit % 8)
        let forged = Array(text[...point]) + Array(Base64URL.encode(other).utf8)
        guard let token = try? UnverifiedToken(parsing: forged[...]) else { fatalError("not read again") }
        if case .valid = verifier.verify(token, with: keys, at: now) {
            fatalError("bit \(bit) does not count")
        }
    }
}

private func checkRules(_ claims: JSONFragment, _ end: Int64) {
    let audience = claims[member: "aud"]
    let audiences = [audience?.stringValue] + (audience?.elements.map(\.stringValue) ?? [])
    guard claims[member: "iss"]?.stringValue == "joe", audiences.contains("app") || audiences.contains("web"),
        claims[member: "sub"]?.stringValue != nil
    else { fatalError("valid against the rules: \(claims)") }
    let expiry = claims[member: "exp"].flatMap { $0.isNull ? nil : $0 }
    guard (expiry == nil) == (end == .max) || (expiry?.doubleValue ?? 0) > 9e18 else {
        fatalError("valid until \(end): \(claims)")
    }
    if let expiry = expiry?.doubleValue, expiry + 30 < Double(now) { fatalError("expired: \(claims)") }
    if let start = claims[member: "nbf"]?.doubleValue, start - 31 > Double(now) {
        fatalError("early: \(claims)")
    }
}
