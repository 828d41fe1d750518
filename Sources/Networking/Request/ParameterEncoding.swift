import HTTPModel

/// Where parameters are sent and how they are written.
///
/// Names and values are percent-encoded except for RFC 3986's unreserved characters and, in a query, `/` and
/// `?` (RFC 3986 3.4). Entries keep their order unless sorting is requested.
public struct ParameterEncoding: Sendable, Hashable {
    /// Where `name=value` pairs are sent.
    public enum Destination: Sendable, Hashable {
        /// In the query for GET, HEAD and DELETE, in the body for other methods.
        case methodDependent
        /// In the URL's query, after the path's own query.
        case queryString
        /// In the body, as `application/x-www-form-urlencoded`.
        case httpBody
    }

    /// How lists are written in a query or form.
    public struct Lists: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case repeated
            case brackets
            case indexed
            case custom(Naming)
        }

        let form: Form

        /// `tag=a&tag=b` (Alamofire's `noBrackets`). A nested list fails the call, because it would have no
        /// name.
        public static let repeated = Lists(form: .repeated)
        /// `tag[]=a&tag[]=b`, with brackets percent-encoded (Alamofire's default)
        public static let brackets = Lists(form: .brackets)
        /// `tag[0]=a&tag[1]=b`, with brackets percent-encoded (Alamofire's `indexInBrackets`)
        public static let indexed = Lists(form: .indexed)

        /// Names each element with a closure, which receives the list's name and the element's index.
        public static func custom(
            _ name: @escaping @Sendable (_ name: String, _ index: Int) -> String
        ) -> Lists {
            Lists(form: .custom(Naming(name)))
        }

        final class Naming: Sendable, Hashable {
            let name: @Sendable (String, Int) -> String

            init(_ name: @escaping @Sendable (String, Int) -> String) {
                self.name = name
            }

            static func == (left: Naming, right: Naming) -> Bool { left === right }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
    }

    /// How Booleans are written in a query or form.
    public struct Booleans: Sendable, Hashable {
        let isNumeric: Bool

        /// `true` and `false`
        public static let literal = Booleans(isNumeric: false)
        /// `1` and `0` (Alamofire's default)
        public static let numeric = Booleans(isNumeric: true)
    }

    /// How an object's members are named in a query or form.
    public struct Members: Sendable, Hashable {
        let usesDots: Bool

        /// `user[name]=x`, with brackets percent-encoded
        public static let brackets = Members(usesDots: false)
        /// `user.name=x`
        public static let dots = Members(usesDots: true)
    }

    /// How spaces are written.
    public struct Spaces: Sendable, Hashable {
        let isPlus: Bool

        /// `%20`
        public static let percentEscaped = Spaces(isPlus: false)
        /// `+`, as in browser forms
        public static let plusReplaced = Spaces(isPlus: true)
    }

    enum Format: Sendable, Hashable {
        case pairs(Destination)
        case json
    }

    let format: Format
    // A reference, because encodings are copied with every task but rarely created.
    let rules: PairRules

    private init(_ format: Format, _ rules: PairRules) {
        self.format = format
        self.rules = rules
    }

    /// In the URL's query, after the path's own query, with spaces as `%20`:
    /// `?fddDate=2026-11-20&keyword=recent`.
    public static let query = ParameterEncoding.query()
    /// In the body as `application/x-www-form-urlencoded`, with spaces as `+`.
    public static let form = ParameterEncoding.form()
    /// In the body as a JSON object, in order. A duplicate name in an object fails the call.
    public static let json = ParameterEncoding(.json, PairRules())

    /// In the URL's query, with custom formats for lists, Booleans and members.
    public static func query(
        lists: Lists = .repeated, booleans: Booleans = .literal, members: Members = .brackets,
        sortsKeys: Bool = false
    ) -> ParameterEncoding {
        url(.queryString, lists: lists, booleans: booleans, members: members, sortsKeys: sortsKeys)
    }

    /// In the body as `application/x-www-form-urlencoded`, with custom formats for lists, Booleans, members
    /// and spaces.
    public static func form(
        lists: Lists = .repeated, booleans: Booleans = .literal, members: Members = .brackets,
        spaces: Spaces = .plusReplaced, sortsKeys: Bool = false
    ) -> ParameterEncoding {
        ParameterEncoding(
            .pairs(.httpBody),
            PairRules(
                lists: lists, booleans: booleans, members: members, sortsKeys: sortsKeys,
                escaping: Escaping(spaceAsPlus: spaces.isPlus, keepsSlashes: false)))
    }

    /// In the query or the body, escaped as in a query in both cases.
    public static func url(
        _ destination: Destination = .methodDependent, lists: Lists = .repeated,
        booleans: Booleans = .literal,
        members: Members = .brackets, spaces: Spaces = .percentEscaped, sortsKeys: Bool = false
    ) -> ParameterEncoding {
        ParameterEncoding(
            .pairs(destination),
            PairRules(
                lists: lists, booleans: booleans, members: members, sortsKeys: sortsKeys,
                escaping: Escaping(spaceAsPlus: spaces.isPlus, keepsSlashes: true)))
    }

    /// As Alamofire's `URLEncoding` writes them: a `Double` is an `NSNumber` there, whose text has no `.0`.
    package static func alamofire(_ destination: Destination) -> ParameterEncoding {
        ParameterEncoding(
            .pairs(destination),
            PairRules(
                lists: .brackets, booleans: .numeric, sortsKeys: true, omitsZeroFraction: true,
                escaping: Escaping(spaceAsPlus: false, keepsSlashes: true)))
    }

    /// As Alamofire's `JSONEncoding` writes them, with the same rule for numbers.
    package static let alamofireJSON = ParameterEncoding(.json, PairRules(omitsZeroFraction: true))

    enum Output {
        case query, form, json
    }

    func output(for method: HTTPMethod) -> Output {
        switch format {
        case .json: .json
        case .pairs(.queryString): .query
        case .pairs(.httpBody): .form
        case .pairs(.methodDependent): method == .get || method == .head || method == .delete ? .query : .form
        }
    }
}
