import { clsx } from 'clsx'
import { CircleHelp, LogOut, Moon, Search, Sun } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { signOut, useMe, useThemeSwitch } from '@/components/shell/account.ts'
import { ConnectionState } from '@/components/shell/connection-state.tsx'
import { type Destination, isCurrent } from '@/components/shell/destinations.ts'
import { EnvironmentSwitcher } from '@/components/shell/environment-switcher.tsx'
import { ProjectSwitcher } from '@/components/shell/project.tsx'
import { flipZone } from '@/components/shell/zone-cookie.ts'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Link } from '@/components/ui/link.tsx'
import { useZone } from '@/components/ui/time.tsx'

const ROW = 'flex h-11 w-full items-center gap-3 rounded-control px-2 text-left hover:bg-surface-2'

export function MoreDialog({
  pages,
  linkTo,
  counts,
  onClose,
}: {
  readonly pages: readonly Destination[]
  readonly linkTo: (href: string) => string
  readonly counts: Readonly<Record<string, string>>
  readonly onClose: () => void
}) {
  const path = usePathname()
  return (
    <Dialog open onOpenChange={onClose} title="More" isSheet>
      <div className="flex flex-col gap-3">
        <button type="button" data-palette className={ROW} onClick={onClose}>
          <Search size={18} aria-hidden />
          Search or jump
        </button>
        <ul>
          {pages.map((page) => {
            const { href, name, icon: Icon } = page
            return (
              <li key={href}>
                <Link
                  href={linkTo(href)}
                  aria-current={isCurrent(page, path) ? 'page' : undefined}
                  onClick={onClose}
                  className={clsx(ROW, 'aria-[current=page]:font-medium')}
                >
                  <Icon size={18} aria-hidden />
                  <span className="flex-1">{name}</span>
                  <span className="text-small text-text-2">{counts[href]}</span>
                </Link>
              </li>
            )
          })}
        </ul>
        <ProjectSwitcher />
        <EnvironmentSwitcher />
        <Account />
      </div>
    </Dialog>
  )
}

function Account() {
  const zone = useZone()
  const me = useMe()
  const switchTheme = useThemeSwitch()
  return (
    <div className="flex flex-col border-border border-t pt-2">
      <div className="flex items-center justify-between px-2 pb-1">
        <span className="truncate text-text-2">{me?.name ?? ''}</span>
        <ConnectionState />
      </div>
      <button type="button" className={ROW} onClick={switchTheme}>
        <Sun size={18} className="dark:hidden" aria-hidden />
        <Moon size={18} className="hidden dark:block" aria-hidden />
        Switch between light and dark
      </button>
      <button type="button" className={ROW} onClick={() => flipZone(zone)}>
        <span aria-hidden className="w-[18px] text-center text-micro">
          {zone === 'UTC' ? 'UTC' : 'TZ'}
        </span>
        Times in {zone}
      </button>
      <Link href="/docs" className={ROW}>
        <CircleHelp size={18} aria-hidden />
        Help and docs
      </Link>
      <button type="button" className={ROW} onClick={() => void signOut()}>
        <LogOut size={18} aria-hidden />
        Sign out
      </button>
    </div>
  )
}
