'use client'

import { LogOut, Moon, PanelLeftClose, PanelLeftOpen, Sun } from 'lucide-react'
import { IconButton } from '@/components/ui/button.tsx'
import { useKeyText } from '@/components/ui/kbd.tsx'
import { useZone } from '@/components/ui/time.tsx'
import { signOut, useMe, useThemeSwitch } from './account.ts'
import { flipRail } from './preferences.ts'
import { flipZone } from './zone-cookie.ts'

export function AccountMenu() {
  const me = useMe()
  const zone = useZone()
  return (
    <div className="flex flex-col items-center gap-1 border-border border-t pt-2 rail:flex-row rail:flex-wrap">
      <span
        className="hidden min-w-0 flex-1 truncate px-2 text-small text-text-2 rail:inline"
        title={me?.role}
      >
        {me?.name ?? ''}
      </span>
      <ThemeButton />
      <RailButton />
      <IconButton label="Sign out" onClick={() => void signOut()}>
        <LogOut size={16} aria-hidden />
      </IconButton>
      <button
        type="button"
        onClick={() => flipZone(zone)}
        title="Switch between UTC and your own time zone"
        className="hidden h-6 w-full truncate rounded-control px-2 text-left text-micro text-text-3 hover:bg-surface-2 rail:block"
      >
        Times in {zone}
      </button>
    </div>
  )
}

/** Hidden on screens too narrow for labels, where the rail always has icons only. */
function RailButton() {
  const keys = useKeyText('⌘B')
  return (
    <IconButton
      label={`Collapse or expand the rail (${keys})`}
      onClick={flipRail}
      className="hidden lg:inline-flex"
    >
      <PanelLeftClose size={16} className="hidden rail:block" aria-hidden />
      <PanelLeftOpen size={16} className="rail:hidden" aria-hidden />
    </IconButton>
  )
}

function ThemeButton() {
  const switchTheme = useThemeSwitch()
  return (
    <IconButton label="Switch between light and dark" onClick={switchTheme}>
      <Sun size={16} className="dark:hidden" aria-hidden />
      <Moon size={16} className="hidden dark:block" aria-hidden />
    </IconButton>
  )
}
