import JSONBytes
import Testing

@Suite("Member paths")
struct MemberPathTests {
    @Test(
        "A malformed path is rejected, with the path and the fault",
        arguments: [
            ("", "an empty name"), (".", "an empty name"), ("a.", "an empty name"), (".a", "an empty name"),
            ("a..b", "an empty name"), ("a.[*]", "an empty name"), ("[*].a", "begins with [*]"),
            ("a[", "not closed"), ("a[*", "not closed"), ("a['b'", "not closed"),
            ("a['b", "a quote that is not closed"), ("['a\\n']", "a backslash"), ("['a\\", "a backslash"),
            ("a[0]", "something other than a quoted name or *"), ("a[b]", "something other"),
            ("a[0:12]", "slices are not supported"), ("a[:3].b", "slices are not supported"),
            ("a[-2:]", "slices are not supported"), ("a['b']c", "text after a bracket"),
            ("a[*]b", "text after a bracket"),
        ])
    func malformed(path: String, fault: String) {
        let error = #expect(throws: JSONMemberPath.ParseError.self) { try JSONMemberPath(path) }
        #expect(error?.description.contains(fault) == true, "\(String(describing: error))")
        #expect(error?.description.contains("\"\(path)\"") == true)
        #expect(error?.path == path)
    }

    @Test("An invalid path literal stops the program")
    func malformedLiteral() async {
        await #expect(processExitsWith: .failure) {
            let path: JSONMemberPath = "a..b"
            _ = path
        }
    }

    @Test("A name may be quoted, and [*] changes nothing")
    func equalPaths() {
        #expect("a.b.c" as JSONMemberPath == "['a']['b'][\"c\"]")
        #expect("items[*].title" as JSONMemberPath == "items.title")
        #expect("items[*]" as JSONMemberPath == "items")
        #expect("['a.b']" as JSONMemberPath != "a.b")
        #expect("['it\\'s']" as JSONMemberPath == "[\"it's\"]")
        #expect("오늘.b c" as JSONMemberPath == "['오늘']['b c']")
        #expect(("items[*].title" as JSONMemberPath).description == "items[*].title")
    }
}
