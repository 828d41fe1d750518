import JSONBytes

// Whatever the bytes: no trap, no overflow; and what is valid stays so when it is cut and joined again.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))[...]
    guard let document = try? JSONFragment(validating: bytes) else { return 0 }

    // A cut value is a valid document of its own, and is found again by its pointer.
    for (name, value) in document.members {
        guard let again = try? JSONFragment(validating: value.bytes), again == value else {
            fatalError("the member \(name) is cut wrong")
        }
        guard document.value(at: JSONPointer(members: [name])) != nil else {
            fatalError("the member \(name) is not found by its pointer")
        }
    }
    for (place, value) in document.elements.enumerated() {
        guard document[element: place] == value else { fatalError("element \(place) is cut wrong") }
    }

    // Joined into a new document it is valid still, and comes out to the byte. Depth: one level more.
    var composer = JSONComposer(sharedFragmentLength: 64)
    composer.beginObject()
    composer.key("a")
    composer.fragment(document)
    composer.endObject()
    let joined = Array(composer.finish().joined())[...]
    guard let whole = try? JSONFragment(validating: joined, limits: JSONLimits(maxDepth: 65)),
        whole[member: "a"] == document
    else { fatalError("composed wrong") }
    return 0
}
