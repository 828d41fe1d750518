import JSONBytes

extension JSONLiteral {
    /// An object whose members are not known to the compiler. No name is repeated.
    init(members: [(String, JSONLiteral)]) {
        var composer = JSONComposer(sharedFragmentLength: .max)
        composer.beginObject()
        for (name, value) in members {
            composer.key(name)
            composer.fragment(value.fragment)
        }
        composer.endObject()
        self.init(composer.fragment())
    }
}
