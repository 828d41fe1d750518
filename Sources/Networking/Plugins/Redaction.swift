public import HTTPModel
import JSONBytes

/// The secrets to keep out of logs, and their replacement.
///
/// Fields: `Authorization`, `Cookie`, `Set-Cookie` and similar. Fields and names in queries, forms and JSON
/// bodies that end in a secret's name: `token`, `password`, `api_key`, `serviceKey`, `X-Amz-Signature`,
/// `newPassword`. Case does not matter, nor do a number and a hash function at the end:
/// `X-Hub-Signature-256`, `X-Shopify-Hmac-Sha256`. The user and password of a URL in a field. Redirects to
/// other origins drop the same fields (``RedirectPolicy``).
///
/// A name like `nextPageToken` or `sortKey` is replaced as well: a log that shows too little does less harm.
public struct Redaction: Sendable {
    /// The replacement. Default `[REDACTED]`.
    public var mark = "[REDACTED]"
    /// The fields whose values are replaced. The scheme of credentials is kept: `Bearer [REDACTED]`.
    public var fields = Redaction.credentials

    /// Fields that identify or authenticate a user.
    static let credentials: Set<HTTPFieldName> = [
        .authorization, .cookie, .setCookie, .proxyAuthorization, "X-Api-Key", "X-Auth-Token", "X-Csrf-Token",
        "X-Amz-Security-Token",
    ]
    /// The parameters, members and fields whose values are replaced, in lower case, without `-` and `_`. A
    /// name that ends in one of them, word by word, counts as well.
    public var names: Set<String> = [
        "accesstoken", "apikey", "appkey", "assertion", "auth", "authorization", "clientsecret",
        "codeverifier", "cookie", "credential", "credentials", "dpop", "hmac", "idtoken", "jwt", "key", "otp",
        "pass", "passcode", "passphrase", "password", "passwd", "pin", "privatekey", "pwd", "refreshtoken",
        "secret", "secretkey", "servicekey", "session", "sessionid", "sig", "signature", "token", "xapikey",
    ]
    {
        didSet { longestName = Redaction.longest(names) }
    }
    /// In bytes.
    private var longestName = 0

    /// Creates a redaction with the defaults.
    public init() {
        longestName = Redaction.longest(names)
    }

    private static func longest(_ names: Set<String>) -> Int { names.map(\.utf8.count).max() ?? 0 }

    static let standard = Redaction()

    /// Whether the standard redaction replaces a field's value.
    package static func hides(_ name: HTTPFieldName) -> Bool { standard.isSecret(field: name) }

    /// Replaces nothing. For development.
    public static let none: Redaction = {
        var redaction = Redaction()
        redaction.fields = []
        redaction.names = []
        return redaction
    }()

    func value(of name: HTTPFieldName, _ value: String) -> String {
        guard isSecret(field: name) else {
            return Redaction.addresses.contains(name) ? address(value) : value
        }
        // RFC 9110 11.4: a scheme, a space, credentials.
        let words = value.split(separator: " ", maxSplits: 1)
        let hasScheme = words.count == 2 && (name == .authorization || name == .proxyAuthorization)
        return hasScheme ? "\(words[0]) \(mark)" : mark
    }

    /// Fields with a URL whose query may contain secrets.
    private static let addresses: Set<HTTPFieldName> = [.location, "Content-Location", "Referer"]

    /// Whether the name is in `fields` or ends in one of `names`: `X-Access-Token`,
    /// `Ocp-Apim-Subscription-Key`.
    func isSecret(field name: HTTPFieldName) -> Bool {
        fields.contains(name) || isSecret(name.description)
    }

    /// Whether the name or one of its components ends in one of `names`: `user[password]`, `token[0]`,
    /// `filter.apiKey`.
    func isSecret(_ name: some StringProtocol) -> Bool {
        guard !names.isEmpty else { return false }
        return name.split { $0 == "[" || $0 == "]" || $0 == "." }.contains { component in
            var ending = ""
            for word in Redaction.words(component).reversed() {
                if ending.isEmpty, Redaction.suffixes.contains(word) { continue }
                ending = word + ending
                if names.contains(ending) { return true }
                // Equal text may be up to three times as long (Unicode Standard Annex 15).
                if ending.utf8.count > 3 * longestName { return false }
            }
            return false
        }
    }

    /// What may follow the name of a secret, without digits: nothing, a version or a hash function.
    private static let suffixes: Set<String> = ["", "ed", "md", "sha", "v"]

    /// Returns the words of a name in lower case, without digits at their ends: `X-Hub-Signature-256` and
    /// `newAPIKey2`.
    private static func words(_ name: some StringProtocol) -> [String] {
        var words = [""]
        let letters = Array(name.unicodeScalars)
        for (index, letter) in letters.enumerated() {
            guard letter != "-", letter != "_", letter != " " else {
                words.append("")
                continue
            }
            if letter.properties.isUppercase, index > 0 {
                let followsSmall = !letters[index - 1].properties.isUppercase
                let precedesSmall = index + 1 < letters.count && letters[index + 1].properties.isLowercase
                if followsSmall || precedesSmall { words.append("") }
            }
            words[words.count - 1] += letter.properties.lowercaseMapping
        }
        return words.map { word in
            String(word.reversed().drop { $0.isNumber }.reversed())
        }
    }

    private func address(_ address: String) -> String {
        let text = withoutUser(address)
        guard let mark = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
        // A fragment may contain the tokens of OAuth's implicit grant (RFC 6749 4.2.2).
        let parts = text[text.index(after: mark)...].split(separator: "#", omittingEmptySubsequences: false)
        return text[...mark] + parts.map { pairs($0) }.joined(separator: "#")
    }

    /// Replaces user and password of a URL (RFC 3986 3.2.1).
    private func withoutUser(_ text: String) -> String {
        guard !names.isEmpty, let start = text.firstRange(of: "//")?.upperBound else { return text }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let end = authority.lastIndex(of: "@") else { return text }
        return text[..<start] + mark + text[end...]
    }

    /// Replaces the secret values of a query or form, `name=value&name=value`.
    func pairs(_ text: some StringProtocol) -> String {
        guard !names.isEmpty else { return String(text) }
        return text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: "="), isSecret(decoded(pair[..<equals])) else {
                return String(pair)
            }
            return pair[...equals] + mark
        }.joined(separator: "&")
    }

    private func decoded(_ name: some StringProtocol) -> String {
        (try? PercentEncoding.decodeString(Array(name.utf8))) ?? String(name)
    }

    /// Replaces the values of secret members in a JSON document. Returns the same bytes if it has no secret
    /// members.
    func json(_ document: JSONFragment) -> JSONFragment {
        guard hasSecrets(document) else { return document }
        var composer = JSONComposer()
        write(document, to: &composer)
        return composer.fragment()
    }

    private func hasSecrets(_ value: JSONFragment) -> Bool {
        switch value.kind {
        case .object: value.members.contains { isSecret($0.name) || hasSecrets($0.value) }
        case .array: value.elements.contains { hasSecrets($0) }
        case .string, .number, .bool, .null: false
        }
    }

    // Recurses at most 64 levels, the limit of a document.
    private func write(_ value: JSONFragment, to composer: inout JSONComposer) {
        switch value.kind {
        case .object:
            composer.beginObject()
            for (name, member) in value.members {
                composer.key(name)
                if isSecret(name) { composer.string(mark) } else { write(member, to: &composer) }
            }
            composer.endObject()
        case .array:
            composer.beginArray()
            for element in value.elements { write(element, to: &composer) }
            composer.endArray()
        case .string, .number, .bool, .null: composer.fragment(value)
        }
    }
}
