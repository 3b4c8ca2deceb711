// Choices that server and browser render by are cookies of this site, kept for a year.
import { withPrefix } from '@/components/paths/prefix.ts'

const YEAR_SECONDS = 31_536_000

export function setCookie(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${name}=${encodeURIComponent(value)}; path=${withPrefix('/')}; max-age=${YEAR_SECONDS}; samesite=lax`
}
