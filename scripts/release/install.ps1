# Installs yoke @VERSION@ for this user, without administrator rights:
#   irm URL/install.ps1 | iex
#   & ([scriptblock]::Create((irm URL/install.ps1))) -To C:\Tools
# Can be run again, to repair or update; -Uninstall takes the program away.
[CmdletBinding()]
param(
    [string]$To = (Join-Path $env:LOCALAPPDATA 'Programs\yoke'),
    [string]$From = '@URL@',
    [switch]$Uninstall
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

$version = '@VERSION@'
$program = Join-Path $To 'yoke.exe'

function Remove-Yoke {
    if (Test-Path -LiteralPath $program) {
        Remove-Item -LiteralPath $program
        Write-Output "removed $program"
    }
    else {
        Write-Output "there is no $program"
    }
    Write-Output 'Your tasks, notes and settings stay: .loop in your projects, %APPDATA%\yoke.'
}

function Install-Yoke {
    if (-not [Environment]::Is64BitOperatingSystem) {
        throw 'There is no binary for this machine. With Node: npm install -g yoke'
    }
    if ([string]::IsNullOrEmpty($From)) {
        throw 'Say where the archives are: -From URL'
    }
    if (Test-Path -LiteralPath $program -PathType Container) {
        throw "$program is a folder; name another place with -To"
    }
    $url = $From.TrimEnd('/')
    $stem = "yoke-$version-windows-x64"
    New-Item -ItemType Directory -Force -Path $To | Out-Null
    # In the same folder, so that the last step is a rename.
    $work = Join-Path $To ('.yoke-install-' + [Guid]::NewGuid())
    New-Item -ItemType Directory -Path $work | Out-Null
    try {
        Write-Output "yoke $version for windows-x64"
        $sums = Join-Path $work 'SHA256SUMS'
        Invoke-WebRequest -UseBasicParsing -Uri "$url/SHA256SUMS" -OutFile $sums
        $line = Get-Content -LiteralPath $sums | Where-Object { $_ -like "*  $stem.zip" } | Select-Object -First 1
        if ($null -eq $line) {
            throw "There is no $stem.zip at $url"
        }
        $archive = Join-Path $work 'archive.zip'
        Invoke-WebRequest -UseBasicParsing -Uri "$url/$stem.zip" -OutFile $archive
        $found = (Get-FileHash -LiteralPath $archive -Algorithm SHA256).Hash
        if ($found -ne ($line -split '\s+')[0]) {
            throw "$stem.zip is not what SHA256SUMS says: nothing was installed"
        }
        Expand-Archive -LiteralPath $archive -DestinationPath $work
        $fresh = Join-Path (Join-Path $work $stem) 'yoke.exe'
        & $fresh --version | Out-Null
        if ($LASTEXITCODE -ne 0) {
            throw 'It does not start here: nothing was installed'
        }
        Move-Item -Force -LiteralPath $fresh -Destination $program
        Write-Output "installed $program"
    }
    finally {
        Remove-Item -Recurse -Force -LiteralPath $work
    }
    if (($env:PATH -split ';') -notcontains $To) {
        Write-Output 'Put it on your PATH:'
        Write-Output "  [Environment]::SetEnvironmentVariable('PATH', [Environment]::GetEnvironmentVariable('PATH', 'User') + ';$To', 'User')"
    }
    Write-Output 'Next: yoke doctor'
}

if ($Uninstall) {
    Remove-Yoke
}
else {
    Install-Yoke
}
