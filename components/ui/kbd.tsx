// A key, as printed on the keyboard.
export function Kbd({ children }: { readonly children: string }) {
  return (
    <kbd className="inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-badge border border-border bg-surface-2 px-1 text-micro text-text-3">
      {children}
    </kbd>
  )
}
