import FoundationEssentials

/// How member names are converted to coding keys.
enum KeyStrategy {
    case plain
    case fromSnakeCase
    case custom(@Sendable ([any CodingKey]) -> any CodingKey)

    init(_ strategy: JSONDecoder.KeyDecodingStrategy) {
        switch strategy {
        case .useDefaultKeys: self = .plain
        case .convertFromSnakeCase: self = .fromSnakeCase
        case .custom(let convert): self = .custom(convert)
        @unknown default: self = .plain
        }
    }

    var needsPath: Bool {
        switch self {
        case .plain, .fromSnakeCase: false
        case .custom: true
        }
    }

    /// Converts a member's name. Uses the object's coding path only if `needsPath`.
    func name(of raw: String, _ path: [any CodingKey]) -> String {
        switch self {
        case .plain: raw
        case .fromSnakeCase: SnakeCase.camelCase(raw)
        case .custom(let convert): convert(path + [PathKey(raw)]).stringValue
        }
    }
}
