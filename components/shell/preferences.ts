// In cookies, so that the server renders the same page (no flash).
import { setCookie } from './set-cookie.ts'

export const CHOICES = {
  density: ['compact', 'comfortable'],
  clock: ['24', '12'],
  /** `reduced`: nothing moves, even if the system setting allows motion. */
  motion: ['system', 'reduced'],
  /** `letters`: charts and strips show verdicts also by letter and hatching. */
  marks: ['plain', 'letters'],
  rail: ['wide', 'collapsed'],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>

export type Preference = keyof typeof CHOICES
export type Preferences = { readonly [Name in Preference]: (typeof CHOICES)[Name][number] }

const toCookieName = (name: Preference): string => `sb_${name}`

function chosen<Name extends Preference>(
  name: Name,
  given: string | undefined,
): (typeof CHOICES)[Name][number] {
  const choices: readonly (typeof CHOICES)[Name][number][] = CHOICES[name]
  return choices.find((choice) => choice === given) ?? CHOICES[name][0]
}

/** An unknown value counts as the first choice. */
export function preferencesFrom(read: (cookie: string) => string | undefined): Preferences {
  return {
    density: chosen('density', read(toCookieName('density'))),
    clock: chosen('clock', read(toCookieName('clock'))),
    motion: chosen('motion', read(toCookieName('motion'))),
    marks: chosen('marks', read(toCookieName('marks'))),
    rail: chosen('rail', read(toCookieName('rail'))),
  }
}

/** Only the style sheet depends on the rail's width, so nothing renders again. */
export function flipRail(): void {
  const { dataset } = document.documentElement
  dataset['rail'] = dataset['rail'] === 'collapsed' ? 'wide' : 'collapsed'
  setCookie(toCookieName('rail'), dataset['rail'])
}

export function setPreference(name: Preference, value: string): void {
  setCookie(toCookieName(name), value)
  window.location.reload()
}
