public import Rx

extension PrimitiveSequence where Trait == SingleTrait {
    /// Makes the call once for all subscribers, also for those that come after its end. So several parts of
    /// an answer can use one call, and a part can begin as soon as the one that it depends on has ended:
    ///
    ///     let product = shop.rx.request(.product(id)).fragment().share()
    ///     return .parts(
    ///         product: product,
    ///         reviews: shop.rx.request(.reviews(id)).fragment(),
    ///         seller: product.flatMap {
    ///             sellers.rx.request(.seller(try $0.decode(at: "/sellerId"))).fragment()
    ///         })
    ///
    /// If it fails, all subscribers get its failure. It is cancelled if all leave before its end. The result
    /// is kept as long as the single is. Made in a request, the single serves that request only. Made
    /// outside, or in `CallContext.detached { ... }`, it serves all, and its call carries nothing of a
    /// request.
    public func share() -> Single<Element> {
        asObservable().share(replay: 1, scope: .forever).asSingle()
    }
}
