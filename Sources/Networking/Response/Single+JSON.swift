public import JSONBytes
public import Rx

// The operations of `JSONFragment` on streams. They fail with `JSONShapeError`, and leave `null` (no content)
// as it is.
extension PrimitiveSequence where Trait == SingleTrait, Element == JSONFragment {
    /// Emits the value at a JSON Pointer. Fails if nothing is there, or a value of another kind.
    public consuming func pick(_ pointer: JSONPointer, as kind: JSONFragment.Kind? = nil) -> Single<
        JSONFragment
    > {
        map { try $0.pick(pointer, as: kind) }
    }

    /// Emits the value with only these members, in an array of each object. Fails for a value without
    /// members.
    public consuming func keep(_ paths: JSONMemberPath...) -> Single<JSONFragment> {
        shape(JSONShape().keep(paths))
    }

    /// Emits the value without these members, in an array of each object.
    public consuming func drop(_ paths: JSONMemberPath...) -> Single<JSONFragment> {
        shape(JSONShape().drop(paths))
    }

    /// Emits the value with other names for some members, in an array of each object.
    ///
    /// - Precondition: No two members of an object get the same name.
    public consuming func rename(_ names: KeyValuePairs<JSONMemberPath, String>) -> Single<JSONFragment> {
        shape(JSONShape().rename(names))
    }

    /// Emits the value with the members that a shape lets through, under the shape's names.
    public consuming func shape(_ shape: JSONShape) -> Single<JSONFragment> {
        map { try $0.shape(shape) }
    }
}
