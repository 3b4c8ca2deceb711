export function BrandMark() {
  return (
    <span aria-hidden className="flex flex-col gap-0.5 rounded-badge bg-accent p-1">
      <span className="size-1.5 rounded-full bg-deny-mark" />
      <span className="size-1.5 rounded-full bg-allow-mark" />
    </span>
  )
}
