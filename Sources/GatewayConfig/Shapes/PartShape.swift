import ASCIIText
import EndpointPlans
import JSONBytes

/// A part of an answer: a call, a call for each item, a group, or a composed value.
enum PartShape {
    static let keep = Member(
        "keep", .list(of: ValueType<JSONMemberPath>.memberPath.located, 1...1000),
        "The only members that stay, as paths with dots: seller.name.")
    static let drop = Member(
        "drop", .list(of: ValueType<JSONMemberPath>.memberPath.located, 0...1000),
        "Members that are left out, as paths with dots.")
    static let rename = Member(
        "rename", .renames, "New names of members, which stay in their objects: {seller.name: title}.")
    static let merge = Member(
        "merge", .bool, default: "false",
        "Whether its members go into the enclosing object. If it fails, they are absent.")
    static let optional = Member(
        "optional", .bool, default: "false",
        "Whether its failure leaves the answer a success. It is then null.")
    static let fallback = Member(
        "fallback", ValueType<JSONFragment>.fallback,
        "JSON instead of a part that failed. The part is optional, too.")
    static let hidden = Member("hidden", .bool, default: "false", "Whether it is only for references.")
    static let schema = Member(
        "schema", .schema, "What the value must be before keep. Of a group or a value it only documents.")
    static let check = Member(
        "check", ValueType<ContractMode>.word, default: "report",
        "enforce: a value that breaks schema fails the part. report: it is counted and stands in the log. off: nobody looks."
    )
    static let when = Member(
        "when", .condition, "A reference: without a value, or with false, the part is not called.")
    static let forEach = Member(
        "forEach", .reference, "A reference to an array. Each item makes a call, which reads {item}.")
    static let concurrency = Member(
        "concurrency", .integer(PlannedItems.concurrencyRange), standard: PlannedItems.standardConcurrency,
        "The most calls of a forEach that are in flight at once.")
    static let limit = Member(
        "limit", .integer(PlannedItems.limitRange), standard: PlannedItems.standardLimit,
        "The most items of a forEach. A longer array is not cut: it fails the part.")
    static let itemFailure = Member(
        "itemFailure", .itemFailure, default: "null", "What happens to an item whose call fails.")
    static let atLeast = Member(
        "atLeast", .integer(PlannedItems.atLeastRange),
        "The fewest members of a group, or items of a forEach, that must succeed.")
    static let parts: Member<[PlannedPart]> = Member("parts", .parts, "The parts of a group.")
    static let value = Member("value", .value, "JSON composed from references, without a call.")

    static let meant = [
        "deadline": CallShape.timeout.name, "host": CallShape.upstream.name, "url": CallShape.get.name,
        "path": CallShape.get.name, "url_pattern": CallShape.get.name, "method": CallShape.get.name,
        "allow": keep.name, "deny": drop.name, "mapping": rename.name, "target": CallShape.pick.name,
        "static": fallback.name, "default": fallback.name, "type": CallShape.expect.name,
    ]

    static let shape: Shape = Shape(
        "a part", definition: "part", example: "{upstream: users, get: /me}", meant: meant,
        CallShape.upstream,
        CallShape.get, CallShape.post, CallShape.put,
        CallShape.patch, CallShape.delete, CallShape.query, CallShape.headers, CallShape.body,
        CallShape.timeout,
        CallShape.attempts, CallShape.pick, CallShape.expect, keep, drop, rename, merge, optional, fallback,
        hidden,
        schema, check, when, forEach, concurrency, limit, itemFailure, atLeast, parts, value)

    /// The members that only a call has.
    static let callMembers =
        [
            CallShape.upstream.name, CallShape.query.name, CallShape.headers.name, CallShape.body.name,
            CallShape.timeout.name, CallShape.attempts.name, CallShape.pick.name, CallShape.expect.name,
            forEach.name, check.name,
        ] + CallShape.methods.map(\.member.name)
    /// The members that only a call for each item has.
    static let itemMembers = [concurrency.name, limit.name, itemFailure.name]
}

extension ValueType where Value == PlannedItems.Failure {
    /// A word, of which one is `null` without quotes.
    static let itemFailure: ValueType = {
        let word = ValueType.word
        return ValueType { _ in
            .any(of: [
                .object([("enum", .list([.text("drop"), .text("fail"), .text("null")]))]), .type("null"),
                .reference("variable"),
            ])
        } read: { node, subject, reader in
            if case .scalar(let scalar) = node.content, scalar.style == .plain, scalar.text == "null" {
                return .null
            }
            return word.read(node, subject, reader)
        }
    }()
}

extension ValueType where Value == JSONMemberPath {
    /// The path of a member below an object: `seller.name`.
    static let memberPath = ValueType(.type("string"), unknown: "x") { (scalar) throws(ScalarFault) in
        guard scalar.substitution == nil else { throw .rule("names of members take no variables") }
        guard scalar.text != "*" else {
            throw .rule("* does not stand for all members; without keep all are kept")
        }
        return try parse(scalar.text)
    }

    static func parse(_ text: String) throws(ScalarFault) -> JSONMemberPath {
        if let path = dotted(text) {
            throw .rule("write \(path): paths have dots, and only pick has slashes")
        }
        do throws(JSONMemberPath.ParseError) {
            return try JSONMemberPath(text)
        } catch {
            throw .rule(error.description)
        }
    }

    /// Returns what was likely meant by a JSON Pointer; nil for other paths.
    private static func dotted(_ text: String) -> String? {
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        let names = text.split(separator: "/").joined(separator: ".")
        return names.isEmpty ? "seller.name" : Shown.text(names)
    }
}

extension ValueType where Value == String {
    /// A new name of a member.
    static let memberName = ValueType(.type("string"), unknown: nil) { (scalar) throws(ScalarFault) in
        guard scalar.substitution == nil else { throw .rule("names of members take no variables") }
        guard !scalar.text.isEmpty else { throw .rule("the name is empty") }
        return scalar.text
    }
}

extension ValueType where Value == [PlannedShape.Renaming] {
    static let renames = ValueType { definitions in
        .type("object", [("additionalProperties", ValueType<String>.memberName.schema(&definitions))])
    } read: { node, subject, reader in
        guard let map = reader.map(node, subject) else { return nil }
        return map.members.compactMap { member in
            let subject = Subject(member.name, of: subject.text)
            do throws(ScalarFault) {
                let path = try ValueType<JSONMemberPath>.parse(member.name)
                return ValueType<String>.memberName.located.read(member.value, subject, reader).map {
                    (Located(path, at: member.namePlace), $0)
                }
            } catch {
                let name = YAMLScalar(text: member.name, style: .plain)
                reader.error(error.message(name, Subject(subject.parent)), at: member.namePlace)
                return nil
            }
        }
    }
}
