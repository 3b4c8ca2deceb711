import type { PresenceRow } from '@/server/configs/draft-presence.sql.ts'

/** One sentence for each user, about the tab that reported last. `rows`: newest first. */
export function describePresent(
  rows: readonly PresenceRow[],
  { me, tab }: { readonly me: string | undefined; readonly tab: string },
): readonly string[] {
  const others = rows.filter((one) => one.tab !== tab)
  return others
    .filter(({ userId }, index) => others.findIndex((one) => one.userId === userId) === index)
    .map(({ userId, name, part }) => {
      const who = userId === me ? 'You are also here in another tab' : `${name} is also here`
      return part === null ? who : `${who}, editing ${part}`
    })
}
