import HTTPModel

/// Where parameters go and how they are written there.
///
/// Names and values keep RFC 3986's unreserved characters as they are; everything else is percent-encoded, but for `/` and `?`
/// in a query (3.4 allows them there). Entries keep the order in which they were written unless they are to be sorted.
public struct ParameterEncoding: Sendable, Hashable {
    /// Where pairs of names and values go.
    public enum Destination: Sendable, Hashable {
        /// Into the query for GET, HEAD and DELETE, into the body for other methods.
        case methodDependent
        /// Into the URL's query, after the one that the path may have.
        case queryString
        /// Into the body, as `application/x-www-form-urlencoded`.
        case httpBody
    }

    /// How a list is written where the format has none of its own.
    public struct Lists: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case repeated
            case brackets
            case indexed
            case custom(Naming)
        }

        let form: Form

        /// `tag=a&tag=b` (Alamofire's `noBrackets`). A list within a list has no name of its own there, and fails the call.
        public static let repeated = Lists(form: .repeated)
        /// `tag[]=a&tag[]=b`, brackets percent-encoded (Alamofire's default)
        public static let brackets = Lists(form: .brackets)
        /// `tag[0]=a&tag[1]=b`, brackets percent-encoded (Alamofire's `indexInBrackets`)
        public static let indexed = Lists(form: .indexed)

        /// The name of each element by a closure, from the list's name and the element's index.
        public static func custom(
            _ name: @escaping @Sendable (_ name: String, _ index: Int) -> String
        ) -> Lists {
            Lists(form: .custom(Naming(name)))
        }

        // Equal to itself only.
        final class Naming: Sendable, Hashable {
            let name: @Sendable (String, Int) -> String

            init(_ name: @escaping @Sendable (String, Int) -> String) {
                self.name = name
            }

            static func == (left: Naming, right: Naming) -> Bool { left === right }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
    }

    /// How a Boolean is written where the format has none of its own.
    public struct Booleans: Sendable, Hashable {
        let isNumeric: Bool

        /// `true` and `false`
        public static let literal = Booleans(isNumeric: false)
        /// `1` and `0` (Alamofire's default)
        public static let numeric = Booleans(isNumeric: true)
    }

    /// How a member of an object is named where the format has no objects.
    public struct Members: Sendable, Hashable {
        let usesDots: Bool

        /// `user[name]=x`, brackets percent-encoded
        public static let brackets = Members(usesDots: false)
        /// `user.name=x`
        public static let dots = Members(usesDots: true)
    }

    /// How a blank is written.
    public struct Spaces: Sendable, Hashable {
        let isPlus: Bool

        /// `%20`
        public static let percentEscaped = Spaces(isPlus: false)
        /// `+`, as forms of browsers have it
        public static let plusReplaced = Spaces(isPlus: true)
    }

    enum Place: Sendable, Hashable {
        case pairs(Destination)
        case json
    }

    let place: Place
    // In an object: an encoding is made rarely, and copied with each task.
    let rules: PairRules

    private init(_ place: Place, _ rules: PairRules) {
        self.place = place
        self.rules = rules
    }

    /// Into the URL's query, a space as `%20`: `?fddDate=2026-11-20&keyword=recent`. A query that the path has is kept.
    public static let query = ParameterEncoding.query()
    /// Into the body as `application/x-www-form-urlencoded`, a space as `+`.
    public static let form = ParameterEncoding.form()
    /// Into the body as a JSON object, in order. A name that occurs twice in an object fails the call.
    public static let json = ParameterEncoding(.json, PairRules())

    /// Into the URL's query, with a say in how what is no text is written.
    public static func query(
        lists: Lists = .repeated, booleans: Booleans = .literal, members: Members = .brackets,
        sortsKeys: Bool = false
    ) -> ParameterEncoding {
        url(.queryString, lists: lists, booleans: booleans, members: members, sortsKeys: sortsKeys)
    }

    /// Into the body as `application/x-www-form-urlencoded`, with a say in how what is no text is written.
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

    /// Pairs in the query or the body, escaped alike in both: as in a query.
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

    /// Where parameters of a call by that method go.
    enum Target {
        case query, form, json
    }

    func target(of method: HTTPMethod) -> Target {
        switch place {
        case .json: .json
        case .pairs(.queryString): .query
        case .pairs(.httpBody): .form
        case .pairs(.methodDependent): method == .get || method == .head || method == .delete ? .query : .form
        }
    }
}
