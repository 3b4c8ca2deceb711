// A later class overrides an earlier one for the same property.
import { type ClassValue, clsx } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

const merge = extendTailwindMerge({
  extend: {
    classGroups: {
      'font-size': [{ text: ['display', 'h1', 'h2', 'body', 'small', 'micro', 'mono'] }],
    },
  },
})

export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes))
}
