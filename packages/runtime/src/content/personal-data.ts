import type { Detector, Range } from './detector.ts'

interface Form {
  /** Linear: no repetition inside another, and every repetition is bounded. */
  readonly pattern: RegExp
  /** Absent: the form alone is enough. */
  readonly isValid?: (text: string) => boolean
}

const EMAIL =
  /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])/g
/** Payment cards of the large networks, 13 to 19 digits. */
const CARD = /(?<![\d.-])[2-6]\d{3}(?:[ -]?\d){9,15}(?!\d)/g
const IBAN = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])/g
const SOCIAL_SECURITY = /(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/g
const PHONE = /(?<![\w+])\+[1-9](?:[ ().-]{0,2}\d){7,14}(?!\d)/g

const FORMS: readonly Form[] = [
  { pattern: EMAIL },
  { pattern: CARD, isValid: isCard },
  { pattern: IBAN, isValid: isIban },
  { pattern: SOCIAL_SECURITY },
  { pattern: PHONE },
]

export const PERSONAL_DATA: Detector = {
  name: 'signalbox-pii',
  version: '1',
  find: async (text) => FORMS.flatMap((form) => listRanges(form, text)),
}

function listRanges({ pattern, isValid }: Form, text: string): readonly Range[] {
  return [...text.matchAll(pattern)].flatMap((match): Range[] => {
    const [found] = match
    if (isValid !== undefined && !isValid(found)) return []
    return [[match.index, match.index + found.length]]
  })
}

/** Luhn's check digit. */
function isCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '')
  if (/^(\d)\1*$/.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

/** ISO 13616: the remainder of the rearranged number by 97 is 1. */
function isIban(text: string): boolean {
  const plain = text.replaceAll(' ', '')
  const moved = plain.slice(4) + plain.slice(0, 4)
  let remainder = 0
  for (const character of moved) {
    for (const digit of Number.parseInt(character, 36).toString())
      remainder = (remainder * 10 + Number(digit)) % 97
  }
  return remainder === 1
}
