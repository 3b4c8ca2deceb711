// A named box that scrolls by itself. It takes the focus, because what scrolls must be reached without a mouse, also in browsers
// that do not see to it.
import type { ComponentProps } from 'react'

interface ScrollBoxProps extends Omit<ComponentProps<'section'>, 'aria-label' | 'tabIndex'> {
  readonly label: string
}

export function ScrollBox({ label, ...props }: ScrollBoxProps) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus is for scrolling
  return <section aria-label={label} tabIndex={0} {...props} />
}
