import type { ComponentProps, ReactNode } from 'react'

export function Checkbox({
  children,
  ...props
}: Omit<ComponentProps<'input'>, 'type'> & { readonly children: ReactNode }) {
  return (
    <label className="flex min-h-6 items-center gap-2 text-body">
      <input type="checkbox" className="size-4 accent-accent" {...props} />
      <span>{children}</span>
    </label>
  )
}
