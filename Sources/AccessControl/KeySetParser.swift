import Crypto
@_spi(Reading) import JSONBytes

/// Reads a JWK Set (RFC 7517, RFC 7518 6, RFC 8037 2).
///
/// Members without a meaning here, such as `x5c` and `x5u`, are ignored.
struct KeySetParser {
    let allowsSecrets: Bool

    private static let names = JSONMemberNames("keys")

    func parse(_ document: ArraySlice<UInt8>) throws(KeySetFault) -> KeySet {
        guard document.count <= KeySet.maxLength else { throw .tooLong }
        let members: JSONMembers
        do throws(JSONError) {
            members = try JSONScanner.scan(
                document, capturing: Self.names, limits: JSONLimits(maxDepth: KeySet.maxDepth))
        } catch {
            throw .notJSON(error.description)
        }
        guard let list = members[0], list.kind == .array else { throw .noKeys }
        guard let elements = list.elements(atMost: KeySet.maxKeys) else { throw .tooManyKeys }
        guard !members.document.hasRepeatedMember else { throw .repeatedMember }

        var keys: [IssuerKey] = []
        var skipped: [KeySet.Skipped] = []
        for (index, element) in elements.enumerated() {
            guard element.kind == .object else { throw .notAnObject(index: index) }
            do throws(Skip) {
                keys.append(try key(element))
            } catch {
                skipped.append(KeySet.Skipped(index: index, reason: error.reason))
            }
        }
        return KeySet(keys: keys, skipped: skipped)
    }

    private struct Skip: Error {
        let reason: SkippedKey

        init(_ reason: SkippedKey) { self.reason = reason }
    }

    private func key(_ value: JSONFragment) throws(Skip) -> IssuerKey {
        let material = try material(value)
        guard isForSignatures(value) else { throw Skip(.notForSignatures) }
        let algorithms = try algorithms(value, of: material)
        let key: VerificationKey
        do throws(KeyFault) {
            key = try material.key()
        } catch {
            throw Skip(.invalid(error.description))
        }
        return IssuerKey(
            keyID: try optionalText(value, "kid"), algorithms: algorithms, key: key,
            fingerprint: material.fingerprint)
    }

    // MARK: Numbers

    private enum Material {
        case rsa(modulus: [UInt8], exponent: [UInt8])
        case p256(x: [UInt8], y: [UInt8])
        case p384(x: [UInt8], y: [UInt8])
        case ed25519([UInt8])
        case secret([UInt8])

        func key() throws(KeyFault) -> VerificationKey {
            switch self {
            case .rsa(let modulus, let exponent): try .rsa(modulus: modulus, exponent: exponent)
            case .p256(let x, let y): try .ellipticCurve(.p256, x: x, y: y)
            case .p384(let x, let y): try .ellipticCurve(.p384, x: x, y: y)
            case .ed25519(let bytes): try .ed25519(bytes)
            case .secret(let bytes): try .secret(bytes)
            }
        }

        var kind: VerificationKey.Kind {
            switch self {
            case .rsa: .rsa
            case .p256: .p256
            case .p384: .p384
            case .ed25519: .ed25519
            case .secret: .secret
            }
        }

        /// A digest of kind and numbers. Their lengths keep two numbers apart.
        var fingerprint: SHA256Digest {
            let (first, second) =
                switch self {
                case .rsa(let modulus, let exponent): (modulus, exponent)
                case .p256(let x, let y), .p384(let x, let y): (x, y)
                case .ed25519(let bytes), .secret(let bytes): (bytes, [])
                }
            let lead = "\(kind) \(first.count) \(second.count) "
            return SHA256Digest(of: Array(lead.utf8) + first + second)
        }
    }

    private func material(_ value: JSONFragment) throws(Skip) -> Material {
        guard let type = try optionalText(value, "kty") else { throw Skip(.unknownType) }
        switch type {
        case "RSA":
            try refusePrivate(value)
            return .rsa(modulus: try bytes(value, "n"), exponent: try bytes(value, "e"))
        case "EC":
            try refusePrivate(value)
            let curve = try optionalText(value, "crv")
            guard curve == "P-256" || curve == "P-384" else { throw Skip(.unknownCurve) }
            let (x, y) = (try bytes(value, "x"), try bytes(value, "y"))
            return curve == "P-256" ? .p256(x: x, y: y) : .p384(x: x, y: y)
        case "OKP":
            try refusePrivate(value)
            guard try optionalText(value, "crv") == "Ed25519" else { throw Skip(.unknownCurve) }
            return .ed25519(try bytes(value, "x"))
        case "oct":
            guard allowsSecrets else { throw Skip(.isSecret) }
            return .secret(try bytes(value, "k"))
        default: throw Skip(.unknownType)
        }
    }

    /// All private keys have `d` (RFC 7518 6.2.2 and 6.3.2, RFC 8037 2).
    private func refusePrivate(_ value: JSONFragment) throws(Skip) {
        if value[member: "d"] != nil { throw Skip(.isPrivate) }
    }

    // MARK: Purpose

    private func isForSignatures(_ value: JSONFragment) -> Bool {
        if let use = value[member: "use"], use.stringValue != "sig" { return false }
        guard let operations = value[member: "key_ops"] else { return true }
        return operations.elements.contains { $0.stringValue == "verify" }
    }

    private func algorithms(_ value: JSONFragment, of material: Material) throws(Skip) -> [SignatureAlgorithm]
    {
        let fitting = SignatureAlgorithm.allCases.filter { $0.keyKind == material.kind }
        guard let name = try optionalText(value, "alg") else { return fitting }
        guard let algorithm = SignatureAlgorithm(name: name), fitting.contains(algorithm) else {
            throw Skip(.unfitAlgorithm)
        }
        return [algorithm]
    }

    // MARK: Members

    private func optionalText(_ value: JSONFragment, _ name: String) throws(Skip) -> String? {
        guard let member = value[member: name] else { return nil }
        guard let text = member.stringValue else { throw Skip(.malformed(name)) }
        return text
    }

    private func bytes(_ value: JSONFragment, _ name: String) throws(Skip) -> [UInt8] {
        guard let text = try optionalText(value, name), let bytes = Base64URL.decode(Array(text.utf8)[...]),
            !bytes.isEmpty
        else { throw Skip(.malformed(name)) }
        return bytes
    }
}
