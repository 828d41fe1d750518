extension PrimitiveSequence where Trait == MaybeTrait {
    /// Succeeds with `default` if the maybe completes empty.
    @inlinable
    public consuming func ifEmpty(default: Element) -> Single<Element> {
        Single(raw: source.ifEmpty(default: `default`))
    }

    /// Continues with `other` if the maybe completes empty.
    @inlinable
    public consuming func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
        Maybe(raw: source.ifEmpty(switchTo: other.source))
    }

    /// Continues with `other` if the maybe completes empty.
    @inlinable
    public consuming func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
        Single(raw: source.ifEmpty(switchTo: other.source))
    }
}
