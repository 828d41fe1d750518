import AccessControl
import Crypto
import JSONBytes

// Key sets (RFC 7517). Nothing may trap. A set has at most 64 keys, and each key of the document is either
// used or skipped with a reason that shows nothing of it. No secret is used unless secrets are allowed. The
// order of keys and members without a meaning change nothing. No key verifies a token that nobody signed.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeySets(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let all = read(bytes, allowsSecrets: true)
    let publicOnes = read(bytes, allowsSecrets: false)
    guard let all, let publicOnes else {
        guard all == nil, publicOnes == nil else { fatalError("secrets decide whether a document is read") }
        return 0
    }
    guard publicOnes.count <= all.count, publicOnes.fits([.hs256]) == false else {
        fatalError("a secret beside public keys")
    }
    checkOrder(bytes, all)
    checkTokens(all)
    return 0
}

private func read(_ bytes: [UInt8], allowsSecrets: Bool) -> KeySet? {
    guard let set = try? KeySet(parsing: bytes[...], allowsSecrets: allowsSecrets) else { return nil }
    guard let document = try? JSONFragment(validating: bytes[...]), let keys = document[member: "keys"],
        keys.elements.count == set.count + set.skipped.count, keys.elements.count <= KeySet.maxKeys
    else { fatalError("\(set.count) keys and \(set.skipped.count) skipped ones") }
    guard set.isEmpty == (set.count == 0), set.isEmpty == !set.fits(SignatureAlgorithm.allCases) else {
        fatalError("a key without an algorithm")
    }
    for skipped in set.skipped {
        let reason = skipped.reason.description
        guard keys.elements.indices.contains(skipped.index), !reason.isEmpty, reason.utf8.count < 200 else {
            fatalError("\(skipped.index): \(reason)")
        }
        let texts = keys.elements[skipped.index].members.compactMap(\.value.stringValue)
        guard !texts.contains(where: { $0.utf8.count > 16 && reason.contains($0) }) else {
            fatalError("the reason shows the key: \(reason)")
        }
    }
    guard let again = try? KeySet(parsing: bytes[...], allowsSecrets: allowsSecrets),
        again.hasSameKeys(as: set)
    else { fatalError("another set at the second reading") }
    return set
}

private func checkOrder(_ bytes: [UInt8], _ set: KeySet) {
    guard let document = try? JSONFragment(validating: bytes[...]), let keys = document[member: "keys"] else {
        return
    }
    var composer = JSONComposer()
    composer.beginObject()
    composer.key("unknown")
    composer.beginArray()
    composer.endArray()
    composer.key("keys")
    composer.beginArray()
    for key in keys.elements.reversed() { composer.fragment(key) }
    composer.endArray()
    composer.endObject()
    let text = composer.fragment()
    guard text.bytes.count <= KeySet.maxLength else { return }
    guard let other = try? KeySet(parsing: text.bytes, allowsSecrets: true), other.hasSameKeys(as: set),
        other.count == set.count
    else { fatalError("the order counts") }
}

/// A payload for the verifier below, which no key of any input has signed.
private let tokens: [UnverifiedToken] = SignatureAlgorithm.allCases.flatMap { algorithm in
    [32, 64, 96, 256].compactMap { count in
        let header = Base64URL.encode(Array(#"{"alg":"\#(algorithm.name)"}"#.utf8))
        let payload = Base64URL.encode(Array(#"{"iss":"joe","aud":"app"}"#.utf8))
        let signature = Base64URL.encode([UInt8](repeating: 0x01, count: count))
        return try? UnverifiedToken(parsing: Array("\(header).\(payload).\(signature)".utf8)[...])
    }
}

private func checkTokens(_ set: KeySet) {
    for token in tokens {
        let rules = TokenRules(algorithms: [token.algorithm], issuer: "joe", audience: ["app"])
        if case .valid = TokenVerifier(rules).verify(token, with: set, at: 0) {
            fatalError("a key verifies what it has not signed, by \(token.algorithm.name)")
        }
    }
}
